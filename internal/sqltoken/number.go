package sqltoken

// number returns the end of the number at pos, which begins with a digit or with a point before one. A letter that
// runs into it begins a token of its own, as before PostgreSQL 15; later ones refuse it.
func (s *Scanner) number(pos int) int {
	end := s.digits(pos, 10)
	if end == len(s.Text) || s.Text[end] != '.' && classes[s.Text[end]] != letter {
		return end // as most do
	}
	if end == pos+1 && s.Text[pos] == '0' {
		if end, ok := s.based(pos); ok {
			return end
		}
	}
	if s.is(end, '.') && !s.is(end+1, '.') {
		if end++; s.isDigit(end, 10) {
			end = s.digits(end, 10)
		}
	}
	if s.is(end, 'e') || s.is(end, 'E') {
		power := end + 1
		if s.is(power, '+') || s.is(power, '-') {
			power++
		}
		if s.isDigit(power, 10) {
			end = s.digits(power, 10)
		}
	}
	return end
}

// based returns the end of a number with another base, such as 0x1F.
func (s *Scanner) based(pos int) (end int, ok bool) {
	var base byte
	switch prefix := pos + 1; {
	case s.is(prefix, 'x'), s.is(prefix, 'X'):
		base = 16
	case s.is(prefix, 'o'), s.is(prefix, 'O'):
		base = 8
	case s.is(prefix, 'b'), s.is(prefix, 'B'):
		base = 2
	}
	end = s.digits(pos+2, base)
	return end, end > pos+2
}

// digits passes over digits, and single underscores before one.
func (s *Scanner) digits(pos int, base byte) int {
	for {
		switch {
		case s.isDigit(pos, base):
			pos++
		case s.is(pos, '_') && s.isDigit(pos+1, base):
			pos += 2
		default:
			return pos
		}
	}
}

func (s *Scanner) isDigit(pos int, base byte) bool {
	if pos >= len(s.Text) {
		return false
	}
	c := s.Text[pos]
	if c >= '0' && c <= '9' {
		return c-'0' < base
	}
	c |= 0x20
	return c >= 'a' && c <= 'f' && c-'a'+10 < base
}
