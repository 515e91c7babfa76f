package value

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/idem-go/idem/runtime/internal/failure"
)

// EncodePayload returns the exact bytes that are stored for what v points to, and refuses what would not come back as
// it went in: text that is not UTF-8, half a surrogate pair, and U+0000, which Postgres cannot hold in text.
func EncodePayload(what, node string, v any, limit int64) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, &failure.PayloadEncodingError{What: what, Node: node, Err: err}
	}
	if size := int64(len(data)); size > limit {
		return nil, &failure.PayloadSizeError{What: what, Node: node, Size: size, Limit: limit}
	}
	if err := CheckText(data); err != nil {
		return nil, &failure.PayloadEncodingError{What: what, Node: node, Err: err}
	}
	return data, nil
}

// errTooLarge is what [EncodeJSON] says of a value over its limit.
var errTooLarge = errors.New("it is too large; store the data elsewhere and pass a reference")

// EncodeJSON is [EncodePayload] for what is neither an input nor an output. limit is in bytes.
func EncodeJSON(v any, limit int) ([]byte, error) {
	data, err := Marshal(v)
	switch {
	case err != nil:
		return nil, err
	case len(data) > limit:
		return nil, errTooLarge
	}
	return data, CheckText(data)
}

var (
	errNUL       = errors.New(`a text contains U+0000, which Postgres cannot store; send bytes as []byte`)
	errBadUTF8   = errors.New(`a text is not valid UTF-8; send bytes as []byte`)
	errSurrogate = errors.New(`a text contains half of a surrogate pair, which is no character; send bytes as []byte`)
)

// CheckText refuses what JSON can say and a text cannot hold. encoding/json writes the escape \ufffd only for
// bytes that were not UTF-8: a genuine U+FFFD is written as itself. What a json.RawMessage or a MarshalJSON
// brings along is not looked at by encoding/json, and can be anything.
func CheckText(data []byte) error {
	if !utf8.Valid(data) {
		return errBadUTF8
	}
	for {
		i := bytes.IndexByte(data, '\\')
		if i < 0 || len(data) < i+2 {
			return nil
		}
		data = data[i:]
		r, escape := unicodeEscape(data)
		switch {
		case !escape:
			data = data[2:]
			continue
		case r == 0:
			return errNUL
		case string(data[:6]) == `\ufffd`:
			return errBadUTF8
		}
		data = data[6:]
		if utf16.IsSurrogate(r) {
			low, _ := unicodeEscape(data)
			if utf16.DecodeRune(r, low) == utf8.RuneError {
				return errSurrogate
			}
			data = data[6:]
		}
	}
}

// unicodeEscape reads the \u escape that data begins with, if it does.
func unicodeEscape(data []byte) (r rune, ok bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 32)
	return rune(n), err == nil
}

// Sum returns the digest of an input as it is stored.
func Sum(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}
