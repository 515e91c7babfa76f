package sqltoken

func (s *Scanner) beginsComment(pos int) bool {
	return s.is(pos, '-') && s.is(pos+1, '-') || s.is(pos, '/') && s.is(pos+1, '*')
}

// comment measures the comment at pos.
func (s *Scanner) comment(pos int) (kind Kind, end int, open bool) {
	if s.Text[pos] == '-' {
		return Comment, s.lineEnd(pos), false
	}
	depth := 0
	for end = pos; end+1 < len(s.Text); {
		switch {
		case s.Text[end] == '/' && s.Text[end+1] == '*':
			depth++
			end += 2
		case s.Text[end] == '*' && s.Text[end+1] == '/':
			depth--
			end += 2
			if depth == 0 {
				return Comment, end, false
			}
		default:
			end++
		}
	}
	return Comment, len(s.Text), true
}

// lineEnd returns where the line's end is that comes next.
func (s *Scanner) lineEnd(pos int) int {
	for pos < len(s.Text) && s.Text[pos] != '\n' && s.Text[pos] != '\r' {
		pos++
	}
	return pos
}
