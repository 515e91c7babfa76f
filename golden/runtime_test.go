package golden_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// patch changes one place of a file. Its path is relative to the module's root.
type patch struct{ file, before, after string }

// runtimeMutants are mistakes in the runtime and in generated code. Right handlers, tried with faults, must show them.
var runtimeMutants = []struct {
	name    string
	patches []patch
	handler string // of the package right
	fault   string
	text    string
}{
	{
		"the fence without its token",
		[]patch{
			{"runtime/internal/store/complete.go", "s.epoch = v.epoch\n    RETURNING 1)", "true\n    RETURNING 1)"},
			{"runtime/internal/store/complete.go", "AND epoch = $2::bigint\n    RETURNING 1)", "AND $2::bigint IS NOT NULL\n    RETURNING 1)"},
		},
		"DeskPoolWrite", "the lease runs out before the write", "a second effect",
	}, {
		"the fence's result is ignored",
		[]patch{
			{"runtime/internal/store/complete.go", `ELSE "idem".lease_lost(count(*), cardinality($1::bigint[])) END`, "ELSE count(*) END"},
			{"runtime/internal/store/complete.go", `ELSE "idem".lease_lost(count(*), 1) END`, "ELSE count(*) END"},
		},
		"DeskPoolWrite", "the lease runs out after the write", "a second effect",
	}, {
		"the fence before the writes, its result ignored",
		[]patch{
			{"runtime/internal/store/complete.go", `ELSE "idem".lease_lost(count(*), cardinality($1::bigint[])) END`, "ELSE count(*) END"},
			{"runtime/internal/store/complete.go", `ELSE "idem".lease_lost(count(*), 1) END`, "ELSE count(*) END"},
			{"runtime/internal/commit/complete.go", "	origin := queueWrites(", "	c.queueFence(b, group)\n	origin := queueWrites("},
			{"runtime/internal/commit/complete.go", "	c.queueFence(b, group)\n	br := ", "	br := "},
		},
		"DeskStateInMemory", "cancelled after the write", "left something behind",
	}, {
		"cancelling does not raise the epoch",
		[]patch{{"runtime/internal/store/operate.go", "reason = 'cancelled', epoch = epoch + 1,", "reason = 'cancelled',"}},
		"DeskPoolWrite", "cancelled after the write", "the step is completed, and must be cancelled",
	}, {
		"enqueueing passes over a conflict",
		[]patch{{"runtime/internal/store/enqueue.go", "DO UPDATE SET input_digest = '' WHERE s.input_digest <> EXCLUDED.input_digest`", "DO NOTHING`"}},
		"DeskPoolWrite", "enqueued again with the same key and another input", "enqueueing it gives <nil>",
	}, {
		"a generated effect passes over a conflict under its business key",
		[]patch{{"golden/mutants/shop/idem_gen.go", "ON CONFLICT (\"order_id\") DO UPDATE SET \"payload_digest\" = ''\nWHERE t.\"payload_digest\" <> EXCLUDED.\"payload_digest\"", `ON CONFLICT ("order_id") DO NOTHING`}},
		"SwallowedInsert", "the key of an earlier payload, with another Cents", passedOver,
	}, {
		"a generated effect passes over a conflict under its run",
		[]patch{{"golden/mutants/shop/idem_gen.go", "INSERT INTO \"payments\" AS t (\"run_id\", \"node\", \"payload_digest\", \"order_id\", \"cents\")\nVALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)\nON CONFLICT (\"run_id\", \"node\") DO UPDATE SET \"payload_digest\" = ''\nWHERE t.\"payload_digest\" <> EXCLUDED.\"payload_digest\"",
			"INSERT INTO \"payments\" AS t (\"run_id\", \"node\", \"payload_digest\", \"order_id\", \"cents\")\nVALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)\nON CONFLICT (\"run_id\", \"node\") DO NOTHING"}},
		"DeskStateInMemory", "the key of an earlier payload, with another Cents", passedOver,
	}, {
		"a generated effect without ON CONFLICT",
		[]patch{{"golden/mutants/shop/idem_gen.go", "INSERT INTO \"payments\" AS t (\"run_id\", \"node\", \"payload_digest\", \"order_id\", \"cents\")\nVALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)\nON CONFLICT (\"run_id\", \"node\") DO UPDATE SET \"payload_digest\" = ''\nWHERE t.\"payload_digest\" <> EXCLUDED.\"payload_digest\"",
			"INSERT INTO \"payments\" AS t (\"run_id\", \"node\", \"payload_digest\", \"order_id\", \"cents\")\nVALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)"}},
		"NoSavepoint", "", "duplicate key value",
	}, {
		"recorded writes commit before the completion",
		[]patch{{"runtime/internal/commit/complete.go", "	c.queueFence(b, group)\n	br := ", "	b.Queue(\"commit\")\n	c.queueFence(b, group)\n	br := "}},
		"DeskStateInMemory", "cancelled after the write", "left something behind",
	}, {
		"direct writes commit before the completion",
		[]patch{{"runtime/internal/step/complete.go", "	n := b.Len()\n	if fence", "	b.Queue(\"commit\")\n	n := b.Len()\n	if fence"}},
		"DeskPoolWrite", "cancelled after the write", "left something behind",
	}, {
		"late records are not refused",
		[]patch{{"runtime/internal/step/write.go", "		return ex.late(err)\n	}\n	key := writeKey", "		_ = err\n	}\n	key := writeKey"}},
		"DeskStateInMemory", "timeout, and the handler writes long after it", "after its attempt had ended",
	}, {
		"late statements are not refused",
		[]patch{{"runtime/internal/step/tx.go", "	if err := t.ex.Alive(); err != nil {\n		return err\n	}\n	switch {", "	switch {"},
			{"runtime/internal/step/tx.go", "	return t.ex.alive()\n}\n\nfunc (t *Tx) acquire", "	return nil\n}\n\nfunc (t *Tx) acquire"}},
		"DeskPoolWrite", "timeout, and the handler writes long after it", "after its attempt had ended",
	}, {
		"a lost answer is taken for a commit",
		[]patch{{"runtime/internal/lease/settle.go", "held, done, err := k.ReadBack(s); {\n	case err", "held, done, err := false, true, error(nil); {\n	case err"}},
		"DeskPoolWrite", "request lost: 6, the completion", "it is running",
	}, {
		"the completion does not raise the epoch",
		[]patch{
			{"runtime/internal/store/complete.go", "reason = NULL, epoch = s.epoch + 1,", "reason = NULL,"},
			{"runtime/internal/store/complete.go", "reason = NULL, epoch = epoch + 1,", "reason = NULL,"},
		},
		"DeskPoolWrite", "reply lost: 6, the completion", "table journal: 1 row more than",
	}, {
		"the sweep does not count",
		[]patch{{"runtime/internal/store/lease.go", "ELSE s.reclaims + 1 END", "ELSE s.reclaims END"}},
		"DeskPoolWrite", "killed after the claim", "the step was taken over 0 times",
	}, {
		"two claims take the same step",
		[]patch{
			{"runtime/internal/store/claim.go", "WHERE ctid = ANY (ARRAY(\n    SELECT ctid FROM \"idem\".steps\n    WHERE state", "WHERE id = ANY (ARRAY(\n    SELECT id FROM \"idem\".steps\n    WHERE state"},
			{"runtime/internal/store/claim.go", "LIMIT $5::integer FOR UPDATE SKIP LOCKED))", "LIMIT $5::integer))"},
		},
		"DeskPoolWrite", "offered to two workers at once", "the handler ran 2 times, and must run 1 times",
	}, {
		"settling without the token",
		[]patch{{"runtime/internal/store/settle.go", "WHERE id = $1::bigint AND epoch = $2::bigint\n    RETURNING id", "WHERE id = $1::bigint AND $2::bigint IS NOT NULL\n    RETURNING id"}},
		"DeskPoolWrite", "the lease runs out, and the first worker fails", "the step ended with attempt 2",
	}, {
		"a follow-up is enqueued at once",
		[]patch{{"runtime/followup.go", "	return ex.Follow(", "	if _, err := ex.Host.Control.Exec(ex, ex.Host.SQL.Insert, e.args()...); err != nil {\n		return err\n	}\n	return ex.Follow("}},
		"DeskFollowUpByClient", everyAttempt, "enqueued steps: 1 row more than before the step",
	}, {
		"a failed attempt is committed",
		[]patch{{"runtime/internal/step/tx.go", `conn.Exec(ctx, "rollback")`, `conn.Exec(ctx, "commit")`}},
		"DeskPoolWrite", everyAttempt, leftBehind,
	}, {
		"a call is sent again when its window is over",
		[]patch{{"runtime/provider/call.go", "open, absent := in.windowLeft > c.def.margin+timeLeft(ctx), false", "open, absent := true, false"}},
		"CallIgnored", "charge_card is done, its answer is lost, and its window is over", "charge_card was done 2 times, and must be once",
	}, {
		"a call's key has the attempt",
		[]patch{{"runtime/provider/call.go", "o.item, strconv.Itoa(c.intent.Generation))", "o.item, strconv.Itoa(c.intent.Generation), strconv.Itoa(ctx.Attempt()))"}},
		"CallByAttempt", afterWrite, `duplicate key value violates unique constraint "intents_call_key"`,
	}, {
		"a call's key is made up for each execution",
		[]patch{{"runtime/provider/call.go", "o.item, strconv.Itoa(c.intent.Generation))", "o.item, strconv.Itoa(c.intent.Generation), rand.Text())"}},
		"CallByAttempt", "", "two runs without any fault call charge_card under different keys",
	}, {
		"a compensation's key is made up for each execution",
		[]patch{{"runtime/provider/undo.go", "original.Key, strconv.Itoa(in.Generation))", "original.Key, strconv.Itoa(in.Generation), in.owner)"}},
		"CallTakenBack", "", "two runs without any fault call charge_card under different keys",
	}, {
		"a call does not compare its request",
		[]patch{{"runtime/provider/call.go", "if !bytes.Equal(in.Digest, c.intent.Digest) {", "if false && !bytes.Equal(in.Digest, c.intent.Digest) {"}},
		"CallByAttempt", "the key of an earlier payload, with another Cents", "the step completed with the receipt for another request to charge_card",
	}, {
		"waiting for an outcome costs an attempt",
		[]patch{{"runtime/provider/errors.go", "return runtime.Wait(e.Delay, ErrUnknown)", "return ErrUnknown"}},
		"CallByAttempt", lostAnswer, "the step ended with attempt 2, and must with 1",
	}, {
		"a provider that wants to be left alone is not",
		[]patch{{"runtime/provider/call.go", "case in.embargo > 0:", "case in.embargo > 0 && false:"}},
		"CallByAttempt", "charge_card asks to come again later", "was requested 2 times before it may be",
	}, {
		"an answer is not stored",
		[]patch{{"runtime/provider/call.go", "		now, changed, err := c.change(in, c.AsideLasting, sqlSettle, string(to), stored,",
			"		if to == StateConfirmed && stored != nil {\n			return []byte(*stored), nil\n		}\n		now, changed, err := c.change(in, c.AsideLasting, sqlSettle, string(to), stored,"}},
		"CallByAttempt", afterWrite, "was requested 2 times, and must be 1 times",
	}, {
		"a rejection is taken for an unknown outcome",
		[]patch{{"runtime/provider/call.go", "	case rejected:\n		return nil, c.reject(in, reason(err))\n	case conflict:", "	case conflict:"}},
		"CallByAttempt", "charge_card rejects", "charge_card (TenantID/OrderID) was done, and must not be",
	}, {
		"another payload at the provider is taken for an unknown outcome",
		[]patch{{"runtime/provider/call.go", "	case conflict:\n", "	case conflict + 100:\n"}},
		"CallByAttempt", "charge_card has another payload under the key", "the step is completed, and must be discarded",
	}, {
		"a relay marks without its token",
		[]patch{{"runtime/outbox/sql.go", "WHERE o.command_id = v.id AND o.claim_epoch = v.epoch`", "WHERE o.command_id = v.id AND o.state = 'pending'`"}},
		"CommandByAttempt", "a command of notices fails when another relay has claimed it", "a late answer changed the command",
	}, {
		"an unknown outcome is taken for a delivery",
		[]patch{{"runtime/outbox/mark.go", "		r.again(c, o, &res)\n	}\n	return res", "		res.state, res.event, res.receipt = StateDelivered, EventDelivered, []byte{}\n	}\n	return res"}},
		"CommandByAttempt", "a command of notices is taken, and the answer is lost", "was requested 1 times, and must be 2 times",
	}, {
		"a command's id is made up for each execution",
		[]patch{{"runtime/idemimpl/command.go", `runID, node, told)`, `runID, node, told, value.NewRunID())`}},
		"CommandByAttempt", "", "two runs without any fault queue commands of notices under different ids",
	}, {
		"a generated outbox passes over a conflict",
		[]patch{{"golden/mutants/shop/idem_gen.go", "$7::bytea)\nON CONFLICT (\"command_id\") DO UPDATE SET \"payload_digest\" = ''\nWHERE t.\"payload_digest\" <> EXCLUDED.\"payload_digest\"", "$7::bytea)\nON CONFLICT (\"command_id\") DO NOTHING"}},
		"CommandByAttempt", "the key of an earlier payload, with another TenantID", passedOver,
	},
}

// TestRuntimeMutants: the fault tests of right handlers fail with a runtime that is wrong. Each mistake means to compile and
// to link the runtime anew: without IDEM_LONG=1 that is done for one of each folder, and others only must still be possible.
func TestRuntimeMutants(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range runtimeMutants {
		folder := path.Dir(m.patches[0].file)
		first := !seen[folder]
		seen[folder] = true
		t.Run(m.name, func(t *testing.T) {
			slow(t)
			replaced := overlay(t, m.patches)
			if !first && os.Getenv("IDEM_LONG") == "" {
				t.Skip("another mistake in " + folder + " is tried; with IDEM_LONG=1 all are")
			}
			var faults []string
			if m.fault != "" {
				faults = append(faults, m.fault)
			}
			found := goTest(t, "./right", []string{tried(m.handler, faults...)}, "-overlay", replaced)
			found.caught(t, "Test"+m.handler+"_Faults", m.fault, m.text)
		})
	}
}

// overlay writes the patched files, and what the go command wants to know of them.
func overlay(t *testing.T, patches []patch) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for _, p := range patches {
		path, err := filepath.Abs(filepath.Join("..", filepath.FromSlash(p.file)))
		if err != nil {
			t.Fatal(err)
		}
		from, patched := path, filepath.Join(dir, strings.ReplaceAll(p.file, "/", "_"))
		if replace[path] != "" {
			from = patched
		}
		replace[path] = patched
		write(t, patched, applied(t, from, p))
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	write(t, file, string(list))
	return file
}

// applied returns a file's text with a patch. A patch that fits nowhere, or twice, tests nothing.
func applied(t *testing.T, path string, p patch) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), p.before); n != 1 {
		t.Fatalf("%s has %d times the text that is to be changed, and must have it once:\n%s", p.file, n, p.before)
	}
	return strings.Replace(string(text), p.before, p.after, 1)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
