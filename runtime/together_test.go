package runtime

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/internal/value"
	"github.com/idem-go/idem/runtime/internal/wire"
)

// parts are rows that belong to a row of the ledger.
var parts = idemimpl.Effect{
	Table: `"parts"`, Columns: []string{"part", "n"}, Key: []int{0}, Guard: "parts_payload_check",
	InsertSQL: `INSERT INTO "parts" AS t ("run_id", "node", "payload_digest", "part", "n")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint)
ON CONFLICT ("run_id", "node", "part") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
	GroupSQL: `INSERT INTO "parts" AS t ("run_id", "node", "payload_digest", "part", "n")
SELECT v."run_id", v."node", v."payload_digest", v."part", v."n"
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::bigint[]) AS v ("run_id", "node", "payload_digest", "part", "n")
ON CONFLICT ("run_id", "node", "part") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
}

const partsSchema = `CREATE TABLE parts (
    id bigint GENERATED ALWAYS AS IDENTITY,
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT parts_payload_check CHECK (octet_length(payload_digest) = 32),
    part text COLLATE "C" NOT NULL, n bigint NOT NULL,
    CONSTRAINT parts_idem_key PRIMARY KEY (run_id, node, part),
    FOREIGN KEY (run_id, node) REFERENCES ledger (run_id, node))`

// insertsOf counts on the wire the statements that write to a table.
type insertsOf struct {
	mu             sync.Mutex
	single, groups map[string]int // per table
}

func (c *insertsOf) note(req wire.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, sql := range req.Statements {
		table, insert := strings.CutPrefix(sql, `INSERT INTO "`)
		if !insert {
			continue
		}
		table, _, _ = strings.Cut(table, `"`)
		if strings.Contains(sql, `AS v ("run_id"`) {
			c.groups[table]++
		} else {
			c.single[table]++
		}
	}
}

// of returns how many statements wrote a row, and how many the rows of a group.
func (c *insertsOf) of(table string) (single, groups int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.single[table], c.groups[table]
}

// watched runs a worker whose inserts are counted.
func (b *bench) watched(cfg Config) *insertsOf {
	b.Helper()
	pool, proxy := b.proxied()
	inserts := &insertsOf{single: map[string]int{}, groups: map[string]int{}}
	proxy.Observe(inserts.note)
	b.workOn(pool, cfg)
	return inserts
}

// oneCommitter lets what finishes during a commit meet in the next group.
func oneCommitter() Config {
	cfg := slow()
	cfg.Committers = 1
	return cfg
}

// A row that the database refuses costs nobody but its own step anything.
func TestRefusedRowAmongOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n, bad = 40, 13
	meet := together(n)
	action := NewAction[charge]("refused", WithBackoff(time.Millisecond))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		if ctx.Attempt() == 1 {
			meet()
			if in.Amount == bad {
				in.Amount = -1
			}
		}
		return recordCharge(ctx, in)
	})
	inserts := b.watched(oneCommitter())
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
	for i, run := range runs {
		attempts := 1
		if i == bad {
			attempts = 2
		}
		b.is(b.wait(run), StateCompleted, "", attempts, 0)
		b.effects(run, 1)
	}
	if _, groups := inserts.of("ledger"); groups == 0 {
		t.Error("no rows were written together: the test shows nothing")
	}
	if got := b.events.of(EventRetried); len(got) != 1 {
		t.Errorf("%d steps were tried again, want 1", len(got))
	}
}

// Another payload under a key fails closed, also among the rows of a group.
func TestMismatchAmongOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n, bad = 40, 13
	meet := together(n)
	action := NewAction[charge]("mismatched")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		meet()
		return recordCharge(ctx, in)
	})
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
	b.exec(`INSERT INTO ledger (run_id, node, payload_digest, user_id, amount) VALUES ($1, $2, sha256('other'), 'ann', 99)`, runs[bad].ID, runs[bad].Node)
	inserts := b.watched(oneCommitter())
	for i, run := range runs {
		if i == bad {
			b.is(b.wait(run), StateDiscarded, ReasonPayloadMismatch, 1, 0)
		} else {
			b.is(b.wait(run), StateCompleted, "", 1, 0)
		}
		b.effects(run, 1)
	}
	if got := b.count(`SELECT amount FROM ledger WHERE payload_digest = sha256('other')`); got != 99 {
		t.Errorf("the row under the key has changed: %d", got)
	}
	if _, groups := inserts.of("ledger"); groups == 0 {
		t.Error("no rows were written together: the test shows nothing")
	}
}

// The same row again is no row more.
func TestRowsThatAreThereAmongOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 40
	meet := together(n)
	action := NewAction[charge]("again")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		meet()
		return recordCharge(ctx, in)
	})
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
	for i, run := range runs {
		if i%2 == 0 {
			digest := must[[]byte](t)(value.Digest(ledger.Columns, []any{fmt.Sprintf("user-%d", i), int64(i), nil}))
			b.exec(ledger.InsertSQL, run.ID, run.Node, digest, fmt.Sprintf("user-%d", i), int64(i), nil)
		}
	}
	inserts := b.watched(oneCommitter())
	for _, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		b.effects(run, 1)
	}
	single, groups := inserts.of("ledger")
	if groups == 0 || single+groups >= n {
		t.Errorf("%d statements for one row and %d for many: the test shows nothing", single, groups)
	}
}

// Rows of two tables, of which one refers to the other, and statements for one row and for many in one group.
func TestTablesTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(partsSchema)
	const n = 40
	meet := together(n)
	action, follow := NewAction[charge]("tables"), NewAction[charge]("followed", WithQueue("nobody's"))
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		meet()
		if err := recordCharge(ctx, in); err != nil {
			return err
		}
		for i, part := range []string{"c", "a", "b"} {
			if err := parts.Record(ctx, part, int64(i)); err != nil {
				return err
			}
			if err := lines.Record(ctx, part, in.Amount); err != nil { // has no GroupSQL
				return err
			}
		}
		if in.Amount%2 == 0 {
			if err := invoices.Record(ctx, in.User, in.Amount); err != nil {
				return err
			}
		}
		_, err := EnqueueActionCompletion(ctx, follow, in)
		return err
	})
	inserts := b.watched(oneCommitter())
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil))
	for _, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		b.effects(run, 1)
	}
	for sql, want := range map[string]int{
		`SELECT count(*) FROM parts`:                                    3 * n,
		`SELECT count(*) FROM lines`:                                    3 * n,
		`SELECT count(*) FROM invoices`:                                 n / 2,
		`SELECT count(*) FROM idem.steps WHERE node = 'followed'`:       n,
		`SELECT count(*) FROM parts p JOIN ledger USING (run_id, node)`: 3 * n,
		`SELECT count(*) FROM (SELECT array_agg(part ORDER BY id) AS o FROM parts GROUP BY run_id) AS r WHERE o = '{c,a,b}'`: n,
	} {
		if got := b.count(sql); got != want {
			t.Errorf("%d, want %d: %s", got, want, sql)
		}
	}
	for _, table := range []string{"ledger", "parts"} {
		if single, groups := inserts.of(table); groups == 0 || single+groups >= n {
			t.Errorf("%s: %d statements for one row and %d for many", table, single, groups)
		}
	}
	for table, want := range map[string]int{"lines": 3 * n, "invoices": n / 2} {
		if single, groups := inserts.of(table); groups != 0 || single != want {
			t.Errorf("%s: %d statements for one row and %d for many", table, single, groups)
		}
	}
}

// Steps of two handlers, of which one writes only to a table that refers to another.
func TestReferringTableFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(partsSchema)
	const n = 20
	meet := together(2 * n)
	part, whole := NewAction[charge]("part"), NewAction[charge]("whole")
	RegisterAction(b.reg, part, func(ctx Context, in charge) error {
		meet()
		return parts.Record(ctx, "only", in.Amount)
	})
	RegisterAction(b.reg, whole, func(ctx Context, in charge) error {
		meet()
		if err := recordCharge(ctx, in); err != nil {
			return err
		}
		return parts.Record(ctx, "one of two", in.Amount)
	})
	ins := charges(n, func(i int) int64 { return int64(i) })
	runs := must[[]Run](t)(part.EnqueueMany(t.Context(), b.client, ins, nil))
	for _, run := range runs {
		b.exec(ledger.InsertSQL, run.ID, run.Node, make([]byte, 32), "ann", int64(1), nil)
	}
	runs = append(runs, must[[]Run](t)(whole.EnqueueMany(t.Context(), b.client, ins, nil))...)
	inserts := b.watched(oneCommitter())
	for _, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		b.effects(run, 1)
	}
	if single, groups := inserts.of("parts"); groups == 0 || single+groups >= n {
		t.Errorf("%d statements for one row and %d for many: a group was refused", single, groups)
	}
}

// A statement has an array per column, of which there may be more than a function of Postgres takes arguments.
func TestManyColumnsTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const columns, n = 150, 20
	wide := idemimpl.Effect{Table: `"wide"`, Guard: "wide_payload_check"}
	names, values, parameters, arrays, defined := `"run_id", "node", "payload_digest"`, `v."run_id", v."node", v."payload_digest"`,
		"$1::text, $2::text, $3::bytea", "$1::text[], $2::text[], $3::bytea[]", "run_id text, node text, payload_digest bytea"
	args := make([]any, columns)
	for i := range columns {
		name := fmt.Sprint("c", i)
		wide.Columns, args[i] = append(wide.Columns, name), int64(i)
		names += fmt.Sprintf(", %q", name)
		values += fmt.Sprintf(", v.%q", name)
		parameters += fmt.Sprintf(", $%d::bigint", i+4)
		arrays += fmt.Sprintf(", $%d::bigint[]", i+4)
		defined += ", " + name + " bigint"
	}
	b.exec(`CREATE TABLE wide (` + defined + `, PRIMARY KEY (run_id, node))`)
	wide.InsertSQL = `INSERT INTO "wide" AS t (` + names + `) VALUES (` + parameters + `)`
	wide.GroupSQL = `INSERT INTO "wide" AS t (` + names + `) SELECT ` + values + ` FROM unnest(` + arrays + `) AS v (` + names + `)`
	meet := together(n)
	action := NewAction[charge]("wide")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		meet()
		return wide.Record(ctx, args...)
	})
	inserts := b.watched(oneCommitter())
	for _, run := range must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil)) {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
	}
	if got := b.count(`SELECT count(*) FROM wide WHERE c0 = 0 AND c149 = 149`); got != n {
		t.Errorf("%d rows, want %d", got, n)
	}
	if single, groups := inserts.of("wide"); groups == 0 || single+groups >= n {
		t.Errorf("%d statements for one row and %d for many", single, groups)
	}
}

// The modes of pgx in which the server's types are known write rows together, the others do not.
func TestTogetherInEachMode(t *testing.T) {
	t.Parallel()
	for mode, want := range map[pgx.QueryExecMode]bool{
		pgx.QueryExecModeCacheStatement: true, pgx.QueryExecModeCacheDescribe: true, pgx.QueryExecModeDescribeExec: true,
		pgx.QueryExecModeExec: false, pgx.QueryExecModeSimpleProtocol: false,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			pool, proxy := b.proxied()
			inserts := &insertsOf{single: map[string]int{}, groups: map[string]int{}}
			proxy.Observe(inserts.note)
			pgxConfig := pool.Config()
			pgxConfig.ConnConfig.DefaultQueryExecMode = mode
			pool = must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), pgxConfig))
			t.Cleanup(pool.Close)
			const n = 40
			meet := together(n)
			action := NewAction[charge]("mode")
			RegisterAction(b.reg, action, func(ctx Context, in charge) error {
				meet()
				return recordCharge(ctx, in)
			})
			b.workOn(pool, oneCommitter())
			for _, run := range must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, charges(n, func(i int) int64 { return int64(i) }), nil)) {
				b.is(b.wait(run), StateCompleted, "", 1, 0)
			}
			b.completedAtOnce(n)
			switch single, groups := inserts.of("ledger"); {
			case want && (groups == 0 || single+groups >= n):
				t.Errorf("%d statements for one row and %d for many", single, groups)
			case !want && groups != 0:
				t.Errorf("%d statements for many rows", groups)
			}
			if got := b.events.of(EventUnreachable); len(got) != 0 {
				t.Errorf("%d times something could not reach the database: %+v", len(got), got[0])
			}
		})
	}
}
