package step

import "strings"

// scan is what is to be known about an SQL text before it is sent.
type scan struct {
	count   int    // of statements
	control string // the first statement that would begin or end a transaction, by its keyword
	rewinds bool   // a statement goes back to a savepoint
}

// scanStatements looks for statements that are not the handler's to send. Savepoints are: a handler may use
// them. backslashes: the session has standard_conforming_strings off.
func scanStatements(sql string, backslashes bool) (found scan) {
	sc := sqlScanner{text: sql, backslashes: backslashes}
	for {
		words, any := sc.statement()
		if any {
			found.count++
			found.rewinds = found.rewinds || toSavepoint(words)
			if found.control == "" {
				found.control = controlWord(words)
			}
		}
		if sc.done() {
			return found
		}
	}
}

// toSavepoint: ROLLBACK [WORK | TRANSACTION] TO [SAVEPOINT] name.
func toSavepoint(words [3]string) bool {
	return words[0] == "ROLLBACK" && (words[1] == "TO" || words[2] == "TO" && words[1] != "PREPARED")
}

// controlWord judges a statement by its first words.
func controlWord(words [3]string) string {
	switch words[0] {
	case "BEGIN", "COMMIT", "END", "ABORT":
		return words[0]
	case "START", "PREPARE":
		if words[1] == "TRANSACTION" {
			return words[0] + " TRANSACTION"
		}
	case "ROLLBACK":
		if !toSavepoint(words) {
			return words[0]
		}
	}
	return ""
}

// sqlScanner walks over SQL text as PostgreSQL's lexer does, as far as statement ends and first words
// are concerned: strings, quoted identifiers, dollar quotes and nested comments are passed over.
type sqlScanner struct {
	text        string
	pos         int
	backslashes bool // they escape in plain strings too
}

func (s *sqlScanner) done() bool { return s.pos >= len(s.text) }

// statement reads up to the next semicolon or the end; any tells whether there was something in it.
func (s *sqlScanner) statement() (words [3]string, any bool) {
	n := 0
	for !s.done() {
		switch c := s.text[s.pos]; {
		case c == ';':
			s.pos++
			return words, any
		case isSpace(c):
			s.pos++
		case strings.HasPrefix(s.text[s.pos:], "--"):
			s.skipLine()
		case strings.HasPrefix(s.text[s.pos:], "/*"):
			s.skipComment()
		case isWordStart(c):
			start := s.pos
			for !s.done() && isWordPart(s.text[s.pos]) {
				s.pos++
			}
			word := s.text[start:s.pos]
			if n < len(words) {
				words[n] = strings.ToUpper(word)
			}
			n, any = n+1, true
			if !s.done() && s.text[s.pos] == '\'' {
				s.skipString(word)
			}
		default:
			n, any = len(words), true
			s.skipToken(c)
		}
	}
	return words, any
}

func (s *sqlScanner) skipToken(c byte) {
	switch c {
	case '\'':
		s.skipString("")
	case '"':
		s.skipQuoted(c, false)
	case '$':
		s.skipDollar()
	default:
		s.pos++
	}
}

// skipString passes over a string constant, whose kind its prefix tells. One of kind E may go on on a further
// line, still of its kind; the parts of any other may as well be taken for strings of their own.
func (s *sqlScanner) skipString(prefix string) {
	switch strings.ToUpper(prefix) {
	case "E":
		for s.skipQuoted('\'', true); s.continued(); {
			s.skipQuoted('\'', true)
		}
	case "B", "X":
		s.skipQuoted('\'', false)
	default:
		s.skipQuoted('\'', s.backslashes)
	}
}

// continued tells whether the string that ended at pos goes on after white space with a line's end in it, and
// moves there.
func (s *sqlScanner) continued() bool {
	at := sqlScanner{text: s.text, pos: s.pos}
	for newline := false; !at.done(); {
		switch c := at.text[at.pos]; {
		case c == '\'' && newline:
			s.pos = at.pos
			return true
		case c == '\n' || c == '\r':
			newline = true
			at.pos++
		case isSpace(c):
			at.pos++
		case strings.HasPrefix(at.text[at.pos:], "--"):
			at.skipLine()
		default:
			return false
		}
	}
	return false
}

// skipQuoted passes over a quoted text at pos; the quote doubled is part of it, and in an E” string a
// backslash escapes.
func (s *sqlScanner) skipQuoted(quote byte, backslash bool) {
	for s.pos++; !s.done(); s.pos++ {
		switch c := s.text[s.pos]; {
		case backslash && c == '\\':
			s.pos++
		case c == quote:
			if s.pos+1 < len(s.text) && s.text[s.pos+1] == quote {
				s.pos++
				continue
			}
			s.pos++
			return
		}
	}
	s.pos = len(s.text)
}

// skipDollar passes over a dollar-quoted text, or over the dollar of a parameter.
func (s *sqlScanner) skipDollar() {
	end := s.pos + 1
	for end < len(s.text) && isWordPart(s.text[end]) && s.text[end] != '$' {
		end++
	}
	if end >= len(s.text) || s.text[end] != '$' || (end > s.pos+1 && !isWordStart(s.text[s.pos+1])) {
		s.pos++
		return
	}
	tag := s.text[s.pos : end+1]
	rest := strings.Index(s.text[end+1:], tag)
	if rest < 0 {
		s.pos = len(s.text)
		return
	}
	s.pos = end + 1 + rest + len(tag)
}

func (s *sqlScanner) skipLine() {
	if i := strings.IndexAny(s.text[s.pos:], "\r\n"); i >= 0 {
		s.pos += i
		return
	}
	s.pos = len(s.text)
}

func (s *sqlScanner) skipComment() {
	depth := 0
	for !s.done() {
		switch {
		case strings.HasPrefix(s.text[s.pos:], "/*"):
			depth++
			s.pos += 2
		case strings.HasPrefix(s.text[s.pos:], "*/"):
			depth--
			s.pos += 2
			if depth == 0 {
				return
			}
		default:
			s.pos++
		}
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isWordPart(c byte) bool { return isWordStart(c) || c >= '0' && c <= '9' || c == '$' }
