package golden_test

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/idem-go/idem/gen"
)

// What several mistakes show.
const (
	seen         = "others saw what it wrote: it was not written in the completion transaction"
	afterWrite   = "an error after the write"
	everyAttempt = "an error at every attempt"
	killed       = "killed after the write, before the commit"
	leftBehind   = "the step did not complete, and yet it left something behind"
	passedOver   = "because another payload stands under the key: a conflict must be refused, not passed over"
	swallowed    = "the handler returned nil although a statement had failed"
	secondEffect = "(the same row again under another key: a second effect)"
	lostPayment  = `- {order_id: "OrderID", cents: 100}`
	lostAnswer   = "charge_card is done, and its answer is lost"
)

// mutant is a wrong handler.
type mutant struct{ handler, fault, text string }

// mutants are the wrong handlers, each with the fault that shows its mistake, and the words. Without a fault: the test says
// so before any is tried, or after all are.
var mutants = []mutant{
	// pool.go
	{"DeskPoolWrite", afterWrite, "(the same row again: a second effect)"},
	{"DeskOwnTransaction", everyAttempt, leftBehind},
	{"DeskHalfOutside", killed, "table charges: 1 row more than before the step"},
	{"DeskCountOutside", afterWrite, `~ {name: "orders"}: count is 9, without the fault it is 8`},
	{"DeskMarkOutside", afterWrite, lostPayment},
	{"DeskClearOutside", everyAttempt, "table baskets: 2 rows fewer than before the step"},
	// key.go
	{"DeskAttemptInKey", afterWrite, `+ {key: "TenantID/OrderID/2"`},
	{"AttemptInItem", afterWrite, `name: "total 2"`},
	{"DeskMintedKey", afterWrite, secondEffect},
	{"DeskTimeInKey", killed, secondEffect},
	{"TenantLeftOut", "the key of an earlier payload, with another TenantID", passedOver},
	{"ConflictPassedOver", "the key of an earlier payload, with another Cents", passedOver},
	{"DeskNoOnConflict", afterWrite, "duplicate key value violates unique constraint"},
	{"TwoUnderOneKey", "", "discarded (payload_mismatch)"},
	// statement.go
	{"SwallowedError", "an error at a write to journal", swallowed},
	{"SwallowedInsert", "an error at a write to invoices", swallowed},
	{"DeskSwallowedOutside", "an error at a write to marks", "table marks: 1 row fewer than without the fault"},
	{"FinalError", "an error at a write to journal", "the step is discarded (permanent), and must be completed"},
	{"OwnCommit", "", "the completion transaction is begun and ended by the runtime; remove BEGIN, COMMIT and ROLLBACK"},
	{"NoSavepoint", "", "without any fault"},
	// process.go
	{"DeskStateInMemory", afterWrite, lostPayment},
	{"DeskStateInFile", "the worker is stopped after the write", lostPayment},
	{"LateRecord", "", "used its context after it had returned"},
	{"DeskLateWrite", "", "something was written after the step had completed"},
	{"ContextIgnored", "timeout, and the handler writes long after it", "it does not look at its context"},
	// followup.go
	{"DeskFollowUpByClient", everyAttempt, "enqueued steps: 3 rows more than before the step"},
	{"DeskFollowUpByTime", afterWrite, "enqueued steps: 1 row more than without the fault"},
	{"FollowUpByAttempt", afterWrite, "~ input.Cents is 3, without the fault it is 2"},
	{"AttemptInOutput", afterWrite, "~ output is 2, without the fault it is 1"},
	// outside.go
	{"CallByAttempt", afterWrite, "charge_card was called under another key than without the fault: a second effect"},
	{"CallByMintedItem", "", "two runs without any fault call charge_card under different keys"},
	{"CallWithTime", "", "ask charge_card for different things under one key; a second execution would be refused"},
	{"CallIgnored", lostAnswer, "the step completed although it is not known what has become of its call of charge_card"},
	{"CallErrorHidden", lostAnswer, "the step ended with attempt 2, and must with 1"},
	{"CallRejectionRetried", "charge_card rejects", "no retry can mend a rejection"},
	{"CallTakenBack", afterWrite, "the provider call has been compensated"},
	{"DeskCommandOutside", afterWrite, seen},
	{"CommandByAttempt", afterWrite, `about: "OrderID/2"`},
	{"TwoCommandsUnderOneID", "", "discarded (payload_mismatch)"},
}

// TestMutants: each generated test of a wrong handler fails, for the reason that is planted.
func TestMutants(t *testing.T) {
	slow(t)
	var tests []string
	for _, m := range mutants {
		tests = append(tests, tried(m.handler, m.faults()...))
	}
	found := goTest(t, "./wrong", append(tests, unlisted))
	for _, m := range mutants {
		t.Run(m.handler, func(t *testing.T) { found.caught(t, "Test"+m.handler+"_Faults", m.fault, m.text) })
	}
	var listed []string
	for _, m := range mutants {
		listed = append(listed, "Test"+m.handler+"_Faults")
	}
	slices.Sort(listed)
	if tried := slices.Sorted(maps.Keys(found.handlers())); !slices.Equal(tried, listed) {
		t.Errorf("tried were\n%q, listed are\n%q", tried, listed)
	}
}

// unlisted are the tests that belong to no mutant. They are tried without a fault: the name of none is empty.
const unlisted = "^Test.*_Faults$/^$"

// faults are the one that shows the mutant; where none is named, all that show any, which take as long as what comes late.
func (m mutant) faults() []string {
	if m.fault != "" {
		return []string{m.fault}
	}
	return wanted()
}

// wanted are the faults that the mutants need.
func wanted() []string {
	var names []string
	for _, m := range mutants {
		if m.fault != "" {
			names = append(names, m.fault)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestTwins: the generated test of each corrected handler passes. It is tried with the fault that shows the mutant; with
// IDEM_LONG=1 with those that show any of them; with IDEM_EVERY_FAULT=1 with all there are, which takes minutes.
func TestTwins(t *testing.T) {
	slow(t)
	var tests []string
	least := 1
	for _, m := range mutants {
		faults := []string{cmp.Or(m.fault, afterWrite)}
		switch {
		case os.Getenv("IDEM_EVERY_FAULT") != "":
			faults, least = nil, 35
		case os.Getenv("IDEM_LONG") != "":
			faults, least = wanted(), 4
		}
		tests = append(tests, tried(m.handler, faults...))
	}
	found := goTest(t, "./right", append(tests, unlisted))
	for _, m := range mutants {
		name := "Test" + m.handler + "_Faults"
		if n := found.handlers()[name]; n < least {
			t.Errorf("%s was tried with %d faults only", name, n)
		}
	}
	for name, r := range found {
		if r.end != "pass" {
			t.Errorf("%s: %s\n%s", name, r.end, r.output)
		}
	}
}

// TestGeneratedCodeIsCurrent: what the mutants are tried with is what idem generates today.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	slow(t)
	r, err := gen.Run(t.Context(), gen.Options{Dir: "mutants"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Drift() {
		t.Errorf("%s is not up to date; run idem generate in golden/mutants", f.Rel)
	}
	if len(r.Files) < 5 {
		t.Errorf("only %d files are generated", len(r.Files))
	}
}

// slow marks a test that runs others: they wait more than they work, so that several may go on at once.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs many fault tests")
	}
	t.Parallel()
}
