package step

import (
	"strings"

	"github.com/idem-go/idem/internal/sqltoken"
)

// scan is what is to be known about an SQL text before it is sent.
type scan struct {
	count   int    // of statements
	control string // the first statement that would begin or end a transaction, by its keyword
	rewinds bool   // a statement goes back to a savepoint
}

// scanStatements looks for statements that are not the handler's to send. Savepoints are: a handler may use
// them. backslashes: the session has standard_conforming_strings off.
func scanStatements(sql string, backslashes bool) (found scan) {
	var s statement
	tokens := sqltoken.Scanner{Text: sql, Backslashes: backslashes}
	for t, ok := tokens.Next(); ok; t, ok = tokens.Next() {
		switch {
		case t.Kind == sqltoken.Comment:
		case t.Kind == sqltoken.Special && sql[t.Start] == ';':
			found.add(&s)
			s = statement{}
		default:
			s.add(t, sql)
		}
	}
	found.add(&s)
	return found
}

// add judges a statement that has been read to its end.
func (f *scan) add(s *statement) {
	if s.tokens == 0 {
		return
	}
	f.count++
	control := s.control()
	if control == "ROLLBACK" && s.rewinds() {
		f.rewinds, control = true, ""
	}
	if f.control == "" {
		f.control = control
	}
}

// statement is the beginning of one: as many words as stand there before anything else.
type statement struct {
	words  [3]string
	tokens int
}

func (s *statement) add(t sqltoken.Token, sql string) {
	if t.Kind != sqltoken.Word {
		s.tokens = len(s.words) // no word counts behind it
	}
	if s.tokens < len(s.words) {
		s.words[s.tokens] = t.In(sql)
	}
	s.tokens++
}

// control returns the keyword with which the statement begins or ends a transaction, or "".
func (s *statement) control() string {
	switch first, second := s.words[0], s.words[1]; {
	case is(first, "BEGIN"):
		return "BEGIN"
	case is(first, "COMMIT"):
		return "COMMIT"
	case is(first, "END"):
		return "END"
	case is(first, "ABORT"):
		return "ABORT"
	case is(first, "ROLLBACK"):
		return "ROLLBACK"
	case is(first, "START") && is(second, "TRANSACTION"):
		return "START TRANSACTION"
	case is(first, "PREPARE") && is(second, "TRANSACTION"):
		return "PREPARE TRANSACTION"
	}
	return ""
}

// rewinds reports whether a ROLLBACK ends nothing: ROLLBACK [WORK | TRANSACTION] TO [SAVEPOINT] name.
func (s *statement) rewinds() bool {
	return is(s.words[1], "TO") || is(s.words[2], "TO") && !is(s.words[1], "PREPARED")
}

// is reports whether a word is a keyword, which is given in upper case.
func is(word, keyword string) bool {
	return len(word) == len(keyword) && word[0]&^0x20 == keyword[0] && strings.EqualFold(word, keyword)
}
