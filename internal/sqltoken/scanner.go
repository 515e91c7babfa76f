package sqltoken

// Scanner walks over an SQL text. It is made as a literal, and Pos may be moved to where a token begins.
type Scanner struct {
	Text string
	Pos  int // of the next token
	// Backslashes escape in plain strings too: the session has standard_conforming_strings off (19.13.1).
	Backslashes bool
}

// Next returns the token at Pos and moves behind it; ok is false at the end of the text.
func (s *Scanner) Next() (t Token, ok bool) {
	if s.Pos >= len(s.Text) {
		return Token{}, false
	}
	t.Start = s.Pos
	t.Kind, t.End, t.Open = s.at(s.Pos)
	s.Pos = t.End
	return t, true
}

// at measures the token that begins at pos. So do the methods that it calls, each for one kind or a few.
func (s *Scanner) at(pos int) (kind Kind, end int, open bool) {
	switch classes[s.Text[pos]] {
	case space:
		return Space, s.spaces(pos), false
	case letter:
		return s.word(pos)
	case digit:
		return Number, s.number(pos), false
	case sign:
		return s.operator(pos)
	case special:
		return s.special(pos)
	case apostrophe:
		return s.str(String, pos, s.Backslashes)
	case quote:
		return s.name(pos)
	case dollar:
		return s.dollar(pos)
	}
	return Other, pos + 1, false
}

func (s *Scanner) spaces(pos int) int {
	for pos < len(s.Text) && classes[s.Text[pos]] == space {
		pos++
	}
	return pos
}

// word measures a keyword or a name, or what a prefix and a quote begin.
func (s *Scanner) word(pos int) (kind Kind, end int, open bool) {
	switch s.Text[pos] | 0x20 { // a letter in lower case
	case 'e':
		if s.is(pos+1, '\'') {
			return s.str(String, pos+1, true)
		}
	case 'n':
		if s.is(pos+1, '\'') {
			return s.str(String, pos+1, s.Backslashes)
		}
	case 'b', 'x':
		if s.is(pos+1, '\'') {
			return s.str(Bits, pos+1, false)
		}
	case 'u':
		if s.is(pos+1, '&') && s.is(pos+2, '\'') {
			return s.str(String, pos+2, false)
		}
		if s.is(pos+1, '&') && s.is(pos+2, '"') {
			return s.name(pos + 2)
		}
	}
	for end = pos + 1; end < len(s.Text) && inWord(s.Text[end]); {
		end++
	}
	return Word, end, false
}

// special measures a character that is no operator, a pair of them, or a number that begins with its point.
func (s *Scanner) special(pos int) (kind Kind, end int, open bool) {
	switch c := s.Text[pos]; {
	case c == '.' && s.isDigit(pos+1, 10):
		return Number, s.number(pos), false
	case c == '.' && s.is(pos+1, '.'), c == ':' && (s.is(pos+1, ':') || s.is(pos+1, '=')):
		return Special, pos + 2, false
	}
	return Special, pos + 1, false
}

// operator measures an operator, or a comment. One that ends in + or - holds a character that no operator of
// standard SQL has; else these are signs of what follows.
func (s *Scanner) operator(pos int) (kind Kind, end int, open bool) {
	if s.beginsComment(pos) {
		return s.comment(pos)
	}
	own := false
	for end = pos; end < len(s.Text) && classes[s.Text[end]] == sign && !s.beginsComment(end); end++ {
		own = own || !inStandardOperator(s.Text[end])
	}
	for !own && end > pos+1 && (s.Text[end-1] == '+' || s.Text[end-1] == '-') {
		end--
	}
	return Operator, end, false
}

// is reports whether a byte stands at pos; there is none behind the text.
func (s *Scanner) is(pos int, c byte) bool { return pos < len(s.Text) && s.Text[pos] == c }
