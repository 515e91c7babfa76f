package sqltoken

// class says what a byte can begin.
type class uint8

const (
	none class = iota
	space
	letter
	digit
	sign
	special
	apostrophe
	quote
	dollar
)

// classes of all bytes. Those of a character outside of ASCII are letters.
var classes = func() (table [256]class) {
	fill := func(of class, bytes string) {
		for i := range len(bytes) {
			table[bytes[i]] = of
		}
	}
	fill(space, " \t\n\r\f\v")
	fill(digit, "0123456789")
	fill(sign, "~!@#^&|`?+-*/%<>=")
	fill(special, "()[],;:.")
	fill(apostrophe, "'")
	fill(quote, `"`)
	fill(dollar, "$")
	fill(letter, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	for c := 0x80; c < len(table); c++ {
		table[c] = letter
	}
	return table
}()

// inWord reports whether a byte can go on a name.
func inWord(c byte) bool { return inTag(c) || c == '$' }

// inTag reports whether a byte can go on the tag of a dollar quote.
func inTag(c byte) bool { return classes[c] == letter || classes[c] == digit }

func inStandardOperator(c byte) bool {
	switch c {
	case '+', '-', '*', '/', '<', '>', '=':
		return true
	}
	return false
}
