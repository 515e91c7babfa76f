package scan

import "bytes"

// mentions reports whether a source may hold a directive of idem, or what was meant as one: a comment
// that begins with idem, in any of the usual spellings. It may say yes too often, never no.
func mentions(src []byte) bool {
	for _, name := range [][]byte{[]byte("idem"), []byte("Idem"), []byte("IDEM")} {
		for rest := src; ; {
			at := bytes.Index(rest, name)
			if at < 0 {
				break
			}
			before := bytes.TrimRight(rest[:at], " ")
			if bytes.HasSuffix(before, []byte("//")) || bytes.HasSuffix(before, []byte("/*")) {
				return true
			}
			rest = rest[at+len(name):]
		}
	}
	return false
}
