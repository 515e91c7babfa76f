package value

import (
	"bytes"
	"testing"
)

// TestDigestIgnoresTheOrderOfFields: a struct whose fields were moved still meets the rows that it wrote before.
func TestDigestIgnoresTheOrderOfFields(t *testing.T) {
	t.Parallel()
	one := must[[]byte](t)(Digest([]string{"order_id", "total", "note"}, []any{"o-1", int64(5), nil}))
	other := must[[]byte](t)(Digest([]string{"total", "note", "order_id"}, []any{int64(5), nil, "o-1"}))
	if !bytes.Equal(one, other) {
		t.Error("the same columns in another order have another digest")
	}
	swapped := must[[]byte](t)(Digest([]string{"a", "b"}, []any{"x", "y"}))
	if bytes.Equal(swapped, must[[]byte](t)(Digest([]string{"a", "b"}, []any{"y", "x"}))) {
		t.Error("swapped values have the same digest")
	}
}
