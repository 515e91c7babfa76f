package wire

import "bytes"

// names remembers the SQL behind the names of prepared statements and portals, which requests use in its place.
type names struct {
	statements, portals map[string]string
}

func newNames() names { return names{statements: map[string]string{}, portals: map[string]string{}} }

// note adds what one message of the client contributes to its request.
func (n names) note(r *Request, kind byte, body []byte) {
	switch kind {
	case msgQuery:
		sql, _ := cstring(body)
		r.Statements = append(r.Statements, sql)
	case msgParse:
		name, rest := cstring(body)
		sql, _ := cstring(rest)
		n.statements[name] = sql
		r.Prepares = append(r.Prepares, sql)
	case msgBind:
		portal, rest := cstring(body)
		statement, _ := cstring(rest)
		n.portals[portal] = n.statements[statement]
	case msgExecute:
		portal, _ := cstring(body)
		r.Statements = append(r.Statements, n.portals[portal])
	}
}

// cstring splits off a string that ends in a zero byte.
func cstring(b []byte) (s string, rest []byte) {
	before, after, _ := bytes.Cut(b, []byte{0})
	return string(before), after
}
