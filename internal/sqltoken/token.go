package sqltoken

// Kind is the kind of a token. The numbers are the sections of PostgreSQL's documentation.
type Kind uint8

// The kinds of tokens.
const (
	Comment  Kind = iota // -- to the line's end, or /* */, which nests (4.1.5)
	Word                 // a keyword or a name without quotes (4.1.1)
	Name                 // "name" or U&"name" (4.1.1)
	String               // 'text', also with the prefix E, U& or N, and with all lines that it goes on over (4.1.2.1 to 4.1.2.3)
	Dollar               // $tag$text$tag$ (4.1.2.4)
	Bits                 // B'01' or X'1F' (4.1.2.5)
	Number               // 42, 3.5, 1e-6, 0x1F, 1_000 (4.1.2.6)
	Param                // $1 (4.2.2)
	Operator             // of one or more characters (4.1.3)
	Special              // one of ( ) [ ] , ; : . or one of :: := .. (4.1.4)
	Other                // a byte that begins none of these
)

var kindNames = [...]string{"Comment", "Word", "Name", "String", "Dollar", "Bits", "Number", "Param", "Operator", "Special", "Other"}

// String returns the constant's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(?)"
}

// Token is a piece of a text, from the byte at Start to the one before End.
type Token struct {
	Kind       Kind
	Open       bool // the text ends before the quote or the comment does
	Start, End int
}

// In returns the token's piece of the text that it was scanned from.
func (t Token) In(text string) string { return text[t.Start:t.End] }
