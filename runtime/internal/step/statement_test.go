package step

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idem-go/idem/runtime/pgtest"
)

// hidden are texts that hold a COMMIT, or look as if they did. Postgres is the judge: see
// TestScannerAgreesWithPostgres.
var hidden = []struct {
	sql     string
	count   int
	control string
}{
	{``, 0, ``}, {` ; ;; `, 0, ``}, {`-- COMMIT`, 0, ``}, {`/* COMMIT; */`, 0, ``},
	{`SELECT 1`, 1, ``}, {`SELECT 1;`, 1, ``}, {`SELECT 1; SELECT 2`, 2, ``},
	{`COMMIT`, 1, `COMMIT`}, {`commit;`, 1, `COMMIT`}, {"\n\t\r\f CoMmIt", 1, `COMMIT`}, {`;;COMMIT`, 1, `COMMIT`},
	{`/* a */ COMMIT`, 1, `COMMIT`}, {`/* a /* b */ c */COMMIT`, 1, `COMMIT`}, {`/* /* */ COMMIT */ SELECT 1`, 1, ``}, {`/*/ COMMIT */ SELECT 1`, 1, ``},
	{`/***/COMMIT/**/`, 1, `COMMIT`}, {"-- x\nCOMMIT", 1, `COMMIT`}, {"-- x\rCOMMIT", 1, `COMMIT`}, {`-- x COMMIT`, 0, ``}, {"--\n--\nCOMMIT--", 1, `COMMIT`},
	{`SELECT 1; COMMIT`, 2, `COMMIT`}, {`SELECT 1;COMMIT;SELECT 2`, 3, `COMMIT`},
	{`SELECT 'x; COMMIT'`, 1, ``}, {`SELECT 'it''s; COMMIT'`, 1, ``}, {`SELECT ''''; COMMIT`, 2, `COMMIT`}, {`SELECT 'a\'; COMMIT; --'`, 2, `COMMIT`},
	{`SELECT E'a\'; COMMIT; --'`, 1, ``}, {`SELECT e'\\'; COMMIT`, 2, `COMMIT`}, {`SELECT E'''\''; COMMIT`, 2, `COMMIT`}, {`SELECT E'\''''; COMMIT`, 2, `COMMIT`},
	{"SELECT E'a'\n'\\''; COMMIT; --'", 2, `COMMIT`}, {"SELECT E'a' -- c\n '\\''; COMMIT; --'", 2, `COMMIT`}, {"SELECT E'a'\n'\\'; COMMIT; '", 1, ``},
	{"SELECT 'a'\n'\\'; COMMIT; --'", 2, `COMMIT`}, {`SELECT type'a\'; COMMIT; --'`, 2, `COMMIT`},
	{`SELECT U&'\0041'; COMMIT`, 2, `COMMIT`}, {`SELECT U&'a\\'; COMMIT`, 2, `COMMIT`}, {`SELECT b'01'; COMMIT`, 2, `COMMIT`}, {`SELECT N'\'; COMMIT`, 2, `COMMIT`},
	{`SELECT 1 AS "x; COMMIT"`, 1, ``}, {`SELECT 1 AS "a""b"; COMMIT`, 2, `COMMIT`}, {`SELECT 1 AS "a\"; COMMIT`, 2, `COMMIT`}, {`SELECT 1 AS U&"a\\"; COMMIT`, 2, `COMMIT`},
	{`SELECT $$; COMMIT$$`, 1, ``}, {`SELECT $$a$b$$; COMMIT`, 2, `COMMIT`}, {`SELECT $a$; COMMIT $b$ $$ $a$`, 1, ``}, {`SELECT $a$x$a$; COMMIT`, 2, `COMMIT`},
	{`SELECT $A$x$a$; COMMIT; $A$`, 1, ``}, {`SELECT $é$; COMMIT; $é$`, 1, ``}, {`SELECT 1 AS a$b; COMMIT; SELECT 1 AS c$b`, 3, `COMMIT`}, {`SELECT 1 AS a$$; COMMIT; SELECT 1 AS b$$`, 3, `COMMIT`},
	{`SELECT 1-1; COMMIT`, 2, `COMMIT`}, {`SELECT 1--1; COMMIT`, 1, ``}, {`SELECT 4/2; COMMIT`, 2, `COMMIT`}, {`SELECT 4/*; COMMIT*/`, 1, ``}, {`SELECT -/**/1; COMMIT`, 2, `COMMIT`},
	{`ROLLBACK`, 1, `ROLLBACK`}, {`ROLLBACK TO a`, 1, ``}, {`ROLLBACK TO SAVEPOINT a`, 1, ``}, {`ROLLBACK WORK TO a`, 1, ``}, {`rollback transaction to savepoint a`, 1, ``},
	{`ROLLBACK /* TO */`, 1, `ROLLBACK`}, {`ROLLBACK/**/TO/**/a`, 1, ``}, {`ROLLBACK AND CHAIN`, 1, `ROLLBACK`}, {`ROLLBACK; SELECT 1 AS to`, 2, `ROLLBACK`}, {`ROLLBACK WORK`, 1, `ROLLBACK`},
	{`ROLLBACK "to"`, 1, `ROLLBACK`}, {`ABORT`, 1, `ABORT`}, {`END`, 1, `END`}, {`END TRANSACTION`, 1, `END`}, {`COMMIT AND NO CHAIN`, 1, `COMMIT`},
	{`BEGIN`, 1, `BEGIN`}, {`BEGIN ISOLATION LEVEL SERIALIZABLE`, 1, `BEGIN`}, {`START TRANSACTION`, 1, `START TRANSACTION`}, {`START/**/TRANSACTION READ ONLY`, 1, `START TRANSACTION`},
	{`PREPARE TRANSACTION 'x'`, 1, `PREPARE TRANSACTION`}, {`PREPARE a AS SELECT 1`, 1, ``}, {`COMMIT PREPARED 'x'`, 1, `COMMIT`}, {`ROLLBACK PREPARED 'to'`, 1, `ROLLBACK`},
	{`SAVEPOINT a`, 1, ``}, {`RELEASE SAVEPOINT a`, 1, ``}, {`SELECT 1 AS commit`, 1, ``}, {`SELECT CASE WHEN true THEN 1 END`, 1, ``},
	{`SELECT $1; COMMIT`, 2, `COMMIT`}, {`SELECT $1$a$; COMMIT; $a$`, 1, ``},
	{"SELECT 'unterminated; COMMIT", 1, ``}, {`SELECT /* unterminated; COMMIT`, 1, ``}, {`SELECT $$unterminated; COMMIT`, 1, ``}, {`SELECT "unterminated; COMMIT`, 1, ``},
	{`SELECT 1 /* 'x */; COMMIT -- '`, 2, `COMMIT`}, {`SELECT '/*'; COMMIT; SELECT '*/'`, 3, `COMMIT`}, {"SELECT '--'; COMMIT", 2, `COMMIT`}, {"SELECT 1 -- '\n; COMMIT --'", 2, `COMMIT`},
}

func TestScanStatements(t *testing.T) {
	t.Parallel()
	for _, c := range hidden {
		if got := scanStatements(c.sql, false); got.count != c.count || got.control != c.control {
			t.Errorf("%q: %d statements, control %q; want %d and %q", c.sql, got.count, got.control, c.count, c.control)
		}
	}
	for sql, want := range map[string]bool{
		`ROLLBACK TO a`: true, `ROLLBACK WORK TO SAVEPOINT a`: true, `SELECT 1; ROLLBACK TO a; SELECT 2`: true,
		`ROLLBACK`: false, `SAVEPOINT to`: false, `SELECT 'ROLLBACK TO a'`: false, `ROLLBACK PREPARED 'to'`: false,
	} {
		if got := scanStatements(sql, false).rewinds; got != want {
			t.Errorf("%q goes back to a savepoint: %v, want %v", sql, got, want)
		}
	}
}

// transfer is what a handler may send: it is scanned before each time.
const transfer = `UPDATE accounts SET balance = balance - $1 WHERE id = $2 AND balance >= $1 RETURNING balance -- 'once'`

func TestScanAllocatesNothing(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		_ = scanStatements(transfer, false)
		_ = scanStatements(`rollback to "a"; commit`, true)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkScanStatements(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(transfer)))
	for b.Loop() {
		_ = scanStatements(transfer, false)
	}
}

// postgres asks the server: does the text end the transaction in which it is sent? The text is sent as the
// handler's would be, and a marker statement tells whether the same transaction is still open.
func endsTransaction(t *testing.T, conn *pgx.Conn, sql string) bool {
	t.Helper()
	ctx := context.Background()
	exec := func(sql string) error {
		_, err := conn.PgConn().Exec(ctx, sql).ReadAll()
		return err
	}
	if err := exec(`BEGIN; SET LOCAL application_name = 'inside'; SAVEPOINT a`); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = exec(`ROLLBACK`) }()
	_ = exec(sql)
	if conn.PgConn().TxStatus() == 'E' {
		return false // an error; nothing was ended by it
	}
	var name string
	if err := conn.QueryRow(ctx, `SHOW application_name`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	return conn.PgConn().TxStatus() == 'I' || name != "inside"
}

// What Postgres takes as the end of a transaction is detected, and what it does not take is let through.
func TestScannerAgreesWithPostgres(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	ended := 0
	for _, c := range hidden {
		if strings.Contains(c.sql, "$1") || strings.HasPrefix(c.sql, "BEGIN") || strings.HasPrefix(c.sql, "START") {
			continue // needs an argument; a second BEGIN is a warning
		}
		ends := endsTransaction(t, conn, c.sql)
		if ends {
			ended++
		}
		if ends && c.control == "" {
			t.Errorf("%q ends the transaction, and is not detected", c.sql)
		}
	}
	if ended < 40 {
		t.Errorf("only %d texts ended the transaction", ended)
	}
}

// FuzzScanStatements looks for a text that ends the transaction undetected.
func FuzzScanStatements(f *testing.F) {
	for _, c := range hidden {
		f.Add(c.sql)
	}
	var conn *pgx.Conn
	if url := pgtest.URL(f); url != "" {
		var err error
		if conn, err = pgx.Connect(context.Background(), url); err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { _ = conn.Close(context.Background()) })
	}
	f.Fuzz(func(t *testing.T, sql string) {
		found := scanStatements(sql, false)
		if found.count > strings.Count(sql, ";")+1 {
			t.Errorf("%q: %d statements", sql, found.count)
		}
		upper := strings.ToUpper(sql)
		if found.control != "" && !strings.Contains(upper, strings.Fields(found.control)[0]) {
			t.Errorf("%q: found %q", sql, found.control)
		}
		if found.control != "" || !anyOf(upper, "COMMIT", "ROLLBACK", "END", "ABORT", "PREPARE") || anyOf(upper, "COPY", "PG_SLEEP", "LISTEN", "DATABASE", "SET", "TABLESPACE", "PG_") {
			return
		}
		if strings.ContainsRune(sql, 0) {
			return // the protocol's end of text
		}
		if endsTransaction(t, conn, sql) {
			t.Errorf("%q ends the transaction, and is not detected", sql)
		}
	})
}

func anyOf(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// In a session with standard_conforming_strings off, a backslash escapes in plain strings too.
func TestScannerWithoutStandardStrings(t *testing.T) {
	t.Parallel()
	for sql, ends := range map[string]bool{
		`SELECT '\''; COMMIT; SELECT ''''`: true, `SELECT '\'; COMMIT; --'`: false, `SELECT b'1'; COMMIT`: true, `SELECT '\\'; COMMIT`: true,
		"SELECT 'a'\n'\\''; COMMIT; --'": true, `SELECT n'\''; COMMIT`: true, "SELECT b'1'\n'1\\'; COMMIT": true,
	} {
		if got := scanStatements(sql, true).control != ""; got != ends {
			t.Errorf("%s: detected %v, want %v", sql, got, ends)
		}
	}
}
