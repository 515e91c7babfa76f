package object

import (
	"bytes"
	"encoding/json"
)

// Join writes one object with the fields of all parts, in their order. Each part is a struct or a map; HTML is not
// escaped.
func Join(parts ...any) ([]byte, error) {
	joined := []byte("{")
	for _, part := range parts {
		fields, err := fieldsOf(part)
		if err != nil {
			return nil, err
		}
		if len(fields) > 0 && len(joined) > 1 {
			joined = append(joined, ',')
		}
		joined = append(joined, fields...)
	}
	return append(joined, '}'), nil
}

// fieldsOf is what stands between the braces of an object.
func fieldsOf(part any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(part); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(b.Bytes())
	return text[1 : len(text)-1], nil
}
