package sqltoken

// Scanner walks over an SQL text. It is made as a literal, and Pos may be moved to where a token can begin.
type Scanner struct {
	Text string
	Pos  int // of the next token, or of white space before it
	// Backslashes escape in plain strings too: the session has standard_conforming_strings off (19.13.1).
	Backslashes bool
}

// Next returns the next token and moves behind it; ok is false at the end of the text.
func (s *Scanner) Next() (t Token, ok bool) {
	text, start := s.Text, s.Pos
	for start < len(text) && classes[text[start]] == space {
		start++
	}
	if start >= len(text) {
		s.Pos = start
		return Token{}, false
	}
	t.Start = start
	t.Kind, t.End, t.Open = s.at(start, classes[text[start]])
	s.Pos = t.End
	return t, true
}

// at measures the token that begins at pos with a byte of a class. So do the methods that it calls, each for one
// kind or a few.
func (s *Scanner) at(pos int, first class) (kind Kind, end int, open bool) {
	switch first {
	case letter:
		return s.word(pos)
	case special:
		return s.special(pos)
	case sign:
		return s.operator(pos)
	case dollar:
		return s.dollar(pos)
	case digit:
		return Number, s.number(pos), false
	case apostrophe:
		return s.str(String, pos, s.Backslashes)
	case quote:
		return s.name(pos)
	}
	return Other, pos + 1, false
}

// word measures a keyword or a name, or what a prefix and a quote begin.
func (s *Scanner) word(pos int) (kind Kind, end int, open bool) {
	text := s.Text
	for end = pos + 1; end < len(text) && classes[text[end]]&inWord != 0; {
		end++
	}
	if end == pos+1 && end < len(text) && (text[end] == '\'' || text[end] == '&') {
		return s.prefixed(pos)
	}
	return Word, end, false
}

// prefixed measures a word of one letter with the quote behind it, if the letter is a prefix.
func (s *Scanner) prefixed(pos int) (kind Kind, end int, open bool) {
	mark := pos + 1
	switch prefix := s.Text[pos] | 0x20; { // in lower case
	case prefix == 'u' && s.is(mark, '&') && s.is(mark+1, '\''):
		return s.str(String, mark+1, false)
	case prefix == 'u' && s.is(mark, '&') && s.is(mark+1, '"'):
		return s.name(mark + 1)
	case s.is(mark, '&'):
	case prefix == 'e':
		return s.str(String, mark, true)
	case prefix == 'n':
		return s.str(String, mark, s.Backslashes)
	case prefix == 'b', prefix == 'x':
		return s.str(Bits, mark, false)
	}
	return Word, pos + 1, false
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
	if pos+1 == len(s.Text) || classes[s.Text[pos+1]] != sign {
		return Operator, pos + 1, false
	}
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
