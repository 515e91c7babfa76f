package sqltoken

import "strings"

// str measures a constant whose quote is at pos, with the parts in which it goes on.
func (s *Scanner) str(of Kind, pos int, escapes bool) (kind Kind, end int, open bool) {
	for {
		end, open = s.closing(pos, of != Bits, escapes)
		next, goesOn := s.continued(end)
		if open || !goesOn {
			return of, end, open
		}
		pos = next
	}
}

// continued returns where the string that ends at pos goes on: behind white space with a line's end in it, which
// may hold comments to the end of a line.
func (s *Scanner) continued(pos int) (next int, ok bool) {
	for newline := false; pos < len(s.Text); {
		switch c := s.Text[pos]; {
		case c == '\'':
			return pos, newline
		case classes[c] == space:
			newline = newline || c == '\n' || c == '\r'
			pos++
		case c == '-' && s.is(pos+1, '-'):
			pos = s.lineEnd(pos)
		default:
			return 0, false
		}
	}
	return 0, false
}

// name measures a name whose quote is at pos.
func (s *Scanner) name(pos int) (kind Kind, end int, open bool) {
	end, open = s.closing(pos, true, false)
	return Name, end, open
}

// closing returns the end of what the quote at pos begins. With doubles two quotes stand for one of the text; with
// escapes a backslash takes the next byte along.
func (s *Scanner) closing(pos int, doubles, escapes bool) (end int, open bool) {
	text, mark := s.Text, s.Text[pos]
	for end = pos + 1; end < len(text); end++ {
		if !escapes { // a long text is passed over fast
			if length := strings.IndexByte(text[end:], mark); length >= 0 {
				end += length
			} else {
				break
			}
		}
		switch c := text[end]; {
		case c == '\\' && escapes:
			end++
		case c != mark:
		case doubles && s.is(end+1, mark):
			end++
		default:
			return end + 1, false
		}
	}
	return len(text), true
}

// dollar measures a dollar quote or a parameter.
func (s *Scanner) dollar(pos int) (kind Kind, end int, open bool) {
	end = pos + 1
	if s.isDigit(end, 10) {
		for s.isDigit(end, 10) {
			end++
		}
		return Param, end, false
	}
	for end < len(s.Text) && classes[s.Text[end]]&inTag != 0 {
		end++
	}
	if !s.is(end, '$') {
		return Other, pos + 1, false
	}
	end++
	tag := s.Text[pos:end]
	length := strings.Index(s.Text[end:], tag)
	if length < 0 {
		return Dollar, len(s.Text), true
	}
	return Dollar, end + length + len(tag), false
}
