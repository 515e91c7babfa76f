package sqltoken_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idem-go/idem/internal/sqltoken"
)

// rules are those of chapter 4.1 of PostgreSQL's documentation, each with texts and the tokens that they are made of:
// the kind and the text, and a ! behind what is not closed.
var rules = []struct {
	rule, text string
	tokens     []string
}{
	{"4.1 white space separates", "a\t\n\r\f\vb", []string{"Word a", "Word b"}},

	{"4.1.1 names hold letters, digits, _ and $", "_a1$b é$x tab$$", []string{"Word _a1$b", "Word é$x", "Word tab$$"}},
	{"4.1.1 a quote is doubled in a quoted name", `"a""b"."c d"`, []string{`Name "a""b"`, "Special .", `Name "c d"`}},
	{"4.1.1 no backslash escapes in a quoted name", `"a\" b`, []string{`Name "a\"`, "Word b"}},
	{"4.1.1 quoted names with U&", `U&"d\0061t" u&"x""y" U &"z"`, []string{`Name U&"d\0061t"`, `Name u&"x""y"`, "Word U", "Operator &", `Name "z"`}},
	{"4.1.1 a name of the last letter u", `menu&"x"`, []string{"Word menu", "Operator &", `Name "x"`}},
	{"4.1.1 a name that is not closed", `a "b""`, []string{"Word a", `Name "b""!`}},

	{"4.1.2.1 a quote is doubled in a string", `'it''s' ''`, []string{`String 'it''s'`, `String ''`}},
	{"4.1.2.1 a backslash is a backslash", `'a\' b`, []string{`String 'a\'`, "Word b"}},
	{"4.1.2.1 a string goes on in another line", "'a'\n 'b' 'c'", []string{"String 'a'\n 'b'", "String 'c'"}},
	{"4.1.2.1 and behind comments to the line's end", "'a' -- x\r-- 'y'\n'b'", []string{"String 'a' -- x\r-- 'y'\n'b'"}},
	{"4.1.2.1 but not in the same line, nor in such a comment", "'a' 'b' --\n", []string{"String 'a'", "String 'b'", "Comment --"}},
	{"4.1.2.1 nor behind a block comment", "'a' /*\n*/ 'b'", []string{"String 'a'", "Comment /*\n*/", "String 'b'"}},
	{"4.1.2.1 a string that is not closed", `a 'b''`, []string{"Word a", `String 'b''!`}},
	{"4.1.2.1 a name before a string", `type'a\' e`, []string{"Word type", `String 'a\'`, "Word e"}},
	{"4.1.4 in PostgreSQL's N'' is a string too", `N'a\' n''`, []string{`String N'a\'`, `String n''`}},

	{"4.1.2.2 backslashes escape in E''", `E'a\'b' e'\\' E'c`, []string{`String E'a\'b'`, `String e'\\'`, `String E'c!`}},
	{"4.1.2.2 also in a further line", "E'a'\n'\\'' x", []string{"String E'a'\n'\\''", "Word x"}},
	{"4.1.2.2 also before the text's end", `E'a\`, []string{`String E'a\!`}},

	{"4.1.2.3 U&'' has escapes without quotes", `U&'\0441' u&'a\' U&`, []string{`String U&'\0441'`, `String u&'a\'`, "Word U", "Operator &"}},

	{"4.1.2.4 dollar quotes", `$$a'b$$ $t$ $$ $T$ $t$ $é1$x$é1$`, []string{`Dollar $$a'b$$`, `Dollar $t$ $$ $T$ $t$`, `Dollar $é1$x$é1$`}},
	{"4.1.2.4 the end is found in any place", `$a$b$$a$c$a$$`, []string{"Dollar $a$b$$a$", "Word c$a$$"}},
	{"4.1.2.4 a tag is no name with a $, nor one of digits", `a$b$c$b$ $1$`, []string{"Word a$b$c$b$", "Param $1", "Other $"}},
	{"4.1.2.4 a dollar quote that is not closed", `$a$b$A$`, []string{"Dollar $a$b$A$!"}},
	{"4.1.2.4 a dollar alone", `$a $`, []string{"Other $", "Word a", "Other $"}},

	{"4.1.2.5 bit strings", "B'01' x'1F' b'0'\n'1'", []string{"Bits B'01'", "Bits x'1F'", "Bits b'0'\n'1'"}},
	{"4.1.2.5 in which no quote is doubled", `X'0''1'`, []string{"Bits X'0'", "String '1'"}},

	{"4.1.2.6 numbers", "42 3.5 4. .001 5e2 1.925e-3 1E+1", []string{"Number 42", "Number 3.5", "Number 4.", "Number .001", "Number 5e2", "Number 1.925e-3", "Number 1E+1"}},
	{"4.1.2.6 numbers of another base", "0b10 0o273 0X1Fa 0x_1", []string{"Number 0b10", "Number 0o273", "Number 0X1Fa", "Number 0x_1"}},
	{"4.1.2.6 underscores between digits", "1_500 0x1_F 1__2 1_", []string{"Number 1_500", "Number 0x1_F", "Number 1", "Word __2", "Number 1", "Word _"}},
	{"4.1.2.6 what is no number", "1e 1e+ 0x 0b2 1..2 a.1", []string{"Number 1", "Word e", "Number 1", "Word e", "Operator +", "Number 0", "Word x", "Number 0", "Word b2", "Number 1", "Special ..", "Number 2", "Word a", "Number .1"}},
	{"4.1.2.6 a prefix behind a number", `1e'\'' 0x'1'`, []string{"Number 1", `String e'\''`, "Number 0", "Bits x'1'"}},
	{"4.1.2.6 a sign is none of the number", "-1", []string{"Operator -", "Number 1"}},

	{"4.1.2.7 a constant of any type", `'1'::int[]`, []string{"String '1'", "Special ::", "Word int", "Special [", "Special ]"}},

	{"4.1.3 operators", "a||b->>c=>d!=e", []string{"Word a", "Operator ||", "Word b", "Operator ->>", "Word c", "Operator =>", "Word d", "Operator !=", "Word e"}},
	{"4.1.3 a sign behind a standard operator", "a=-1 b*-+2 @-c", []string{"Word a", "Operator =", "Operator -", "Number 1", "Word b", "Operator *", "Operator -", "Operator +", "Number 2", "Operator @-", "Word c"}},
	{"4.1.3 no comment begins in an operator", "a+--b\nc*/*d*/e @/*", []string{"Word a", "Operator +", "Comment --b", "Word c", "Operator *", "Comment /*d*/", "Word e", "Operator @", "Comment /*!"}},
	{"4.1.3 the characters", "~!@#^&|`?+*/%<>=", []string{"Operator ~!@#^&|`?+*/%<>="}},

	{"4.1.4 special characters", "f(a[1:2],b.*);x:=:", []string{
		"Word f", "Special (", "Word a", "Special [", "Number 1", "Special :", "Number 2", "Special ]", "Special ,", "Word b", "Special .", "Operator *", "Special )", "Special ;",
		"Word x", "Special :=", "Special :",
	}},
	{"4.1.4 all others", "\\ {\x00", []string{`Other \`, "Other {", "Other \x00"}},

	{"4.1.5 comments to the line's end", "a--b'\nc--d\re--", []string{"Word a", "Comment --b'", "Word c", "Comment --d", "Word e", "Comment --"}},
	{"4.1.5 comments nest", "/*a/*b*/'c*/d/*/ */e", []string{"Comment /*a/*b*/'c*/", "Word d", "Comment /*/ */", "Word e"}},
	{"4.1.5 a star more", "/***/a//**/b*/*c*/", []string{"Comment /***/", "Word a", "Operator /", "Comment /**/", "Word b", "Operator *", "Comment /*c*/"}},
	{"4.1.5 a comment that is not closed", "a/*/*b*/", []string{"Word a", "Comment /*/*b*/!"}},

	{"4.2.2 parameters", "$1+$23a", []string{"Param $1", "Operator +", "Param $23", "Word a"}},
}

// withBackslashes are the same for a session with standard_conforming_strings off.
var withBackslashes = []struct {
	rule, text string
	tokens     []string
}{
	{"plain strings", `'a\'b' "c\" 'd`, []string{`String 'a\'b'`, `Name "c\"`, `String 'd!`}},
	{"over lines", "'a'\n'\\''x", []string{"String 'a'\n'\\''", "Word x"}},
	{"N''", `n'\''x`, []string{`String n'\''`, "Word x"}},
	{"no bit strings", `B'\'x`, []string{`Bits B'\'`, "Word x"}},
	{"no string with U&", `U&'\'x`, []string{`String U&'\'`, "Word x"}},
	{"a name before a string", `type'\''x`, []string{"Word type", `String '\''`, "Word x"}},
}

// scan returns all tokens of a text.
func scan(text string, backslashes bool) []sqltoken.Token {
	var all []sqltoken.Token
	s := sqltoken.Scanner{Text: text, Backslashes: backslashes}
	for t, ok := s.Next(); ok; t, ok = s.Next() {
		all = append(all, t)
	}
	return all
}

func shown(text string, tokens []sqltoken.Token) []string {
	var list []string
	for _, t := range tokens {
		said := t.Kind.String() + " " + t.In(text)
		if t.Open {
			said += "!"
		}
		list = append(list, said)
	}
	return list
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		if got := shown(r.text, scan(r.text, false)); !slices.Equal(got, r.tokens) {
			t.Errorf("%s: %q\n got %q\nwant %q", r.rule, r.text, got, r.tokens)
		}
	}
	for _, r := range withBackslashes {
		if got := shown(r.text, scan(r.text, true)); !slices.Equal(got, r.tokens) {
			t.Errorf("backslashes: %s: %q\n got %q\nwant %q", r.rule, r.text, got, r.tokens)
		}
	}
}

func TestKindNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for k := sqltoken.Comment; k <= sqltoken.Other; k++ {
		if name := k.String(); name == "" || seen[name] {
			t.Errorf("kind %d is called %q", k, name)
		}
		seen[k.String()] = true
	}
	if got := (sqltoken.Other + 1).String(); got != "Kind(?)" {
		t.Errorf("a kind that there is not: %q", got)
	}
}

// statement has most of the kinds.
const statement = `
	/* book it */ INSERT INTO ledger (run_id, "Node", amount, note) -- once
	VALUES ($1, $2, COALESCE($3::numeric(12, 2), 0.5), E'it\'s' || $t$a;b$t$)
	ON CONFLICT (run_id, "Node") DO UPDATE SET amount = ledger.amount + EXCLUDED.amount;`

func TestNothingIsAllocated(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		s := sqltoken.Scanner{Text: statement}
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzScanner checks of any text that its tokens cover it but for white space, one behind the other, and that each of
// them, cut out, is the same token again.
func FuzzScanner(f *testing.F) {
	for _, r := range rules {
		f.Add(r.text, false)
	}
	for _, r := range withBackslashes {
		f.Add(r.text, true)
	}
	f.Add(statement, false)
	f.Fuzz(func(t *testing.T, text string, backslashes bool) {
		end := 0
		for _, token := range scan(text, backslashes) {
			if token.Start < end || token.End <= token.Start || token.End > len(text) {
				t.Fatalf("%q: a token from %d to %d behind %d", text, token.Start, token.End, end)
			}
			if gap := strings.Trim(text[end:token.Start], " \t\n\r\f\v"); gap != "" {
				t.Errorf("%q: %q belongs to no token", text, gap)
			}
			end = token.End
			if token.Open && end != len(text) {
				t.Errorf("%q: %q is not closed, and goes not on to the end", text, token.In(text))
			}
			alone := scan(token.In(text), backslashes)
			if len(alone) != 1 || alone[0].Kind != token.Kind || alone[0].Open != token.Open {
				t.Errorf("%q: %s %q alone is %q", text, token.Kind, token.In(text), shown(token.In(text), alone))
			}
		}
		if rest := strings.Trim(text[end:], " \t\n\r\f\v"); rest != "" {
			t.Errorf("%q: %q belongs to no token", text, rest)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(statement)))
	for b.Loop() {
		s := sqltoken.Scanner{Text: statement}
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
	}
}

func ExampleScanner() {
	const sql = `SELECT 'it''s' /* ; */ AS "x;y"; COMMIT`
	s := sqltoken.Scanner{Text: sql}
	for t, ok := s.Next(); ok; t, ok = s.Next() {
		if t.Kind != sqltoken.Comment {
			fmt.Println(t.Kind, t.In(sql))
		}
	}
	// Output:
	// Word SELECT
	// String 'it''s'
	// Word AS
	// Name "x;y"
	// Special ;
	// Word COMMIT
}
