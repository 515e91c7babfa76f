package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
)

// encodePayload gives the exact bytes that are stored for v, and refuses what would not come back as
// it went in: text that is not UTF-8, and U+0000, which Postgres cannot hold in text.
func encodePayload(what, node string, v any, limit int64) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, &PayloadEncodingError{What: what, Node: node, Err: err}
	}
	if size := int64(len(data)); size > limit {
		return nil, &PayloadSizeError{What: what, Node: node, Size: size, Limit: limit}
	}
	if err := checkText(data); err != nil {
		return nil, &PayloadEncodingError{What: what, Node: node, Err: err}
	}
	return data, nil
}

var (
	errNUL     = errors.New(`a text contains U+0000, which Postgres cannot store; send bytes as []byte`)
	errBadUTF8 = errors.New(`a text is not valid UTF-8; send bytes as []byte`)
	escape     = []byte(`\u`)
)

// checkText looks for the two escapes that encoding/json writes for what cannot be stored. A genuine
// U+FFFD is written as itself, the escape stands only for bytes that were not UTF-8.
func checkText(data []byte) error {
	for rest, at := data, 0; ; {
		i := bytes.Index(rest, escape)
		if i < 0 || len(rest) < i+6 {
			return nil
		}
		at += i
		hex := string(rest[i+2 : i+6])
		if (hex == "0000" || hex == "fffd") && !escaped(data, at) {
			if hex == "0000" {
				return errNUL
			}
			return errBadUTF8
		}
		rest, at = rest[i+2:], at+2
	}
}

// escaped tells whether the backslash at i is itself escaped by the one before it.
func escaped(data []byte, i int) bool {
	n := 0
	for j := i - 1; j >= 0 && data[j] == '\\'; j-- {
		n++
	}
	return n%2 == 1
}

func digestBytes(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}
