package faulttest

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idem-go/idem/runtime/idemimpl"
)

const folder = "testdata/migrations"

// order is the input of the tests' handlers.
type order struct {
	OrderID string
	Cents   int64
}

var sample = order{"o-1", 100}

var payments = idemimpl.Effect{
	Table: `"payments"`, Columns: []string{"order_id", "amount_cents"}, Guard: "payments_payload_check",
	InsertSQL: `INSERT INTO "payments" AS t ("run_id", "node", "payload_digest", "order_id", "amount_cents")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)
ON CONFLICT ("run_id", "node") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
}

var invoices = idemimpl.Effect{
	Table: `"invoices"`, Columns: []string{"order_id", "amount_cents"}, Key: []int{0}, Business: true, Guard: "invoices_payload_check",
	InsertSQL: `INSERT INTO "invoices" AS t ("run_id", "node", "payload_digest", "order_id", "amount_cents")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)
ON CONFLICT ("order_id") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	ReturningSQL: ` RETURNING "id"`,
	SelectSQL:    `SELECT "id" FROM "invoices" WHERE "order_id" = $1::text`,
}

// examined is what the fault tests say of a handler.
type examined struct {
	*testing.T
	free []string // without a fault
	end  []string // after all

	mu   sync.Mutex
	rows []Row
}

// examine tries a handler as [Action] and [Step] do, and keeps what that finds. Of the faults it takes those whose
// names begin with one of only, or all of them.
func examine(t *testing.T, s *subject, only ...string) *examined {
	t.Helper()
	e := &examined{T: t}
	if childOf(t, s) {
		t.SkipNow()
	}
	suite := newSuite(t, s)
	if e.free = suite.faultFree(t); len(e.free) > 0 {
		return e
	}
	latecomers.come()
	t.Run("faults", func(t *testing.T) {
		for _, f := range suite.faults(testing.Short()) {
			begins := func(prefix string) bool { return prefix != "" && strings.HasPrefix(f.name, prefix) }
			if len(only) > 0 && !slices.ContainsFunc(only, begins) {
				continue
			}
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				row := suite.try(t, f)
				e.mu.Lock()
				defer e.mu.Unlock()
				e.rows = append(e.rows, row)
			})
		}
	})
	e.end = suite.lastLook()
	return e
}

// unlessLong are the faults to try where others have been tried with another handler; with IDEM_LONG=1 all are, which is
// what none means to [examine].
func unlessLong(faults ...string) []string {
	if os.Getenv("IDEM_LONG") != "" {
		return nil
	}
	return faults
}

// problems returns what was found under the faults whose names begin with prefix.
func (e *examined) problems(prefix string) (all string, n int) {
	var b strings.Builder
	for _, r := range e.rows {
		if strings.HasPrefix(r.Fault, prefix) {
			n++
			for _, p := range r.Problems {
				b.WriteString(r.Fault + ": " + p + "\n")
			}
		}
	}
	return b.String(), n
}

// finds checks that a problem with the text was found under a fault.
func (e *examined) finds(fault, text string) {
	e.Helper()
	switch all, n := e.problems(fault); {
	case n == 0 && !testing.Short():
		e.Errorf("there is no fault %q; without any: %s", fault, strings.Join(e.free, "\n"))
	case n > 0 && !strings.Contains(all, text):
		e.Errorf("under the fault %q, %q was not found, but:\n%s", fault, text, all)
	}
}

// passes checks that nothing was found, and that every fault happened.
func (e *examined) passes() {
	e.Helper()
	for _, p := range append(e.free, e.end...) {
		e.Errorf("without a fault: %s", p)
	}
	if all, _ := e.problems(""); all != "" {
		e.Error(all)
	}
	for _, r := range e.rows {
		if !r.Fired {
			e.Errorf("%s did not happen", r.Fault)
		}
	}
}

// latecomers are goroutines of handlers that wait until the runs without a fault have been looked at.
var latecomers = &lateGroup{}

type lateGroup struct {
	mu   sync.Mutex
	wait []func()
}

func (g *lateGroup) add(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wait = append(g.wait, f)
}

// come runs them, each in a goroutine of its own as it were.
func (g *lateGroup) come() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.wait {
		f()
	}
	g.wait = nil
}
