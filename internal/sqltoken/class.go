package sqltoken

// class says what a byte can begin. Each is a bit, so that one look finds a byte in several of them.
type class uint8

const (
	space class = 1 << iota
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

const (
	inTag  = letter | digit // goes on the tag of a dollar quote
	inWord = inTag | dollar // goes on a name
)

func inStandardOperator(c byte) bool {
	switch c {
	case '+', '-', '*', '/', '<', '>', '=':
		return true
	}
	return false
}
