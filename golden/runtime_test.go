package golden_test

import (
	"encoding/json"
	"os"
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
			{"runtime/sql.go", "s.epoch = v.epoch\n    RETURNING 1)", "true\n    RETURNING 1)"},
			{"runtime/sql.go", "AND epoch = $2::bigint\n    RETURNING 1)", "AND $2::bigint IS NOT NULL\n    RETURNING 1)"},
		},
		"DeskPoolWrite", "the lease runs out before the write", "a second effect",
	}, {
		"the fence's result is ignored",
		[]patch{
			{"runtime/sql.go", `ELSE "idem".lease_lost(count(*), cardinality($1::bigint[])) END`, "ELSE count(*) END"},
			{"runtime/sql.go", `ELSE "idem".lease_lost(count(*), 1) END`, "ELSE count(*) END"},
		},
		"DeskPoolWrite", "the lease runs out after the write", "a second effect",
	}, {
		"the fence before the writes, its result ignored",
		[]patch{
			{"runtime/sql.go", `ELSE "idem".lease_lost(count(*), cardinality($1::bigint[])) END`, "ELSE count(*) END"},
			{"runtime/sql.go", `ELSE "idem".lease_lost(count(*), 1) END`, "ELSE count(*) END"},
			{"runtime/complete.go", "	type write struct", "	w.queueCompletion(b, group)\n	type write struct"},
			{"runtime/complete.go", "	w.queueCompletion(b, group)\n	br := ", "	br := "},
		},
		"DeskStateInMemory", "cancelled after the write", "left something behind",
	}, {
		"cancelling does not raise the epoch",
		[]patch{{"runtime/sql.go", "reason = 'cancelled', epoch = epoch + 1,", "reason = 'cancelled',"}},
		"DeskPoolWrite", "cancelled after the write", "the step is completed, and must be cancelled",
	}, {
		"enqueueing passes over a conflict",
		[]patch{{"runtime/sql.go", "DO UPDATE SET input_digest = '' WHERE s.input_digest <> EXCLUDED.input_digest\nRETURNING id`", "DO NOTHING\nRETURNING id`"}},
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
		[]patch{{"runtime/complete.go", "	w.queueCompletion(b, group)\n	br := ", "	b.Queue(\"commit\")\n	w.queueCompletion(b, group)\n	br := "}},
		"DeskStateInMemory", "cancelled after the write", "left something behind",
	}, {
		"direct writes commit before the completion",
		[]patch{{"runtime/complete.go", "	n := b.Len()\n	ex.w.queueCompletion", "	b.Queue(\"commit\")\n	n := b.Len()\n	ex.w.queueCompletion"}},
		"DeskPoolWrite", "cancelled after the write", "left something behind",
	}, {
		"late records are not refused",
		[]patch{{"runtime/execution.go", "		return ex.refuseLate(err)\n	}\n	key := writeKey", "		_ = err\n	}\n	key := writeKey"}},
		"DeskStateInMemory", "timeout, and the handler writes long after it", "after its attempt had ended",
	}, {
		"late statements are not refused",
		[]patch{{"runtime/tx.go", "	if err := t.ex.alive(); err != nil {\n		return t.ex.refuseLate(err)\n	}\n	switch {", "	switch {"},
			{"runtime/tx.go", "	return t.ex.alive()\n}\n\nfunc (t *completionTx) prologueLen", "	return nil\n}\n\nfunc (t *completionTx) prologueLen"}},
		"DeskPoolWrite", "timeout, and the handler writes long after it", "after its attempt had ended",
	}, {
		"a lost answer is taken for a commit",
		[]patch{{"runtime/complete.go", "held, done, err := w.readBack(s); {\n	case err", "held, done, err := false, true, error(nil); {\n	case err"}},
		"DeskPoolWrite", "request lost: 6, the completion", "it is running",
	}, {
		"the completion does not raise the epoch",
		[]patch{
			{"runtime/sql.go", "reason = NULL, epoch = s.epoch + 1,", "reason = NULL,"},
			{"runtime/sql.go", "reason = NULL, epoch = epoch + 1,", "reason = NULL,"},
		},
		"DeskPoolWrite", "reply lost: 6, the completion", "table journal: 1 row more than",
	}, {
		"the sweep does not count",
		[]patch{{"runtime/sql.go", "ELSE s.reclaims + 1 END", "ELSE s.reclaims END"}},
		"DeskPoolWrite", "killed after the claim", "the step was taken over 0 times",
	}, {
		"two claims take the same step",
		[]patch{{"runtime/sql.go", "LIMIT $2::integer FOR UPDATE SKIP LOCKED))", "LIMIT $2::integer))"}},
		"DeskPoolWrite", "offered to two workers at once", "the handler ran 2 times, and must run 1 times",
	}, {
		"settling without the token",
		[]patch{{"runtime/sql.go", "WHERE id = $1::bigint AND epoch = $2::bigint\n    RETURNING id", "WHERE id = $1::bigint AND $2::bigint IS NOT NULL\n    RETURNING id"}},
		"DeskPoolWrite", "the lease runs out, and the first worker fails", "the step ended with attempt 2",
	}, {
		"a follow-up is enqueued at once",
		[]patch{{"runtime/followup.go", "	return ex.follow(", "	if _, err := ex.w.control.Exec(ex, ex.w.sql.insert, e.args()...); err != nil {\n		return err\n	}\n	return ex.follow("}},
		"DeskFollowUpByClient", everyAttempt, "enqueued steps: 1 row more than before the step",
	}, {
		"a failed attempt is committed",
		[]patch{{"runtime/tx.go", `conn.Exec(ctx, "rollback")`, `conn.Exec(ctx, "commit")`}},
		"DeskPoolWrite", everyAttempt, leftBehind,
	},
}

// TestRuntimeMutants: the fault tests of right handlers fail with a runtime that is wrong.
func TestRuntimeMutants(t *testing.T) {
	for _, m := range runtimeMutants {
		t.Run(m.name, func(t *testing.T) {
			slow(t)
			found := goTest(t, "./right", m.handler, m.fault, "-overlay", overlay(t, m.patches))
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
		from, patched := path, filepath.Join(dir, filepath.Base(path))
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

// applied gives a file's text with a patch. A patch that fits nowhere, or twice, tests nothing.
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
