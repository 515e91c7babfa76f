package handler

import (
	"testing"
)

func TestMayImport(t *testing.T) {
	for _, c := range []struct {
		from, path string
		want       bool
	}{
		{"a.test/shop", "time", true},
		{"a.test/shop", "a.test/money", true},
		{"a.test/shop", "a.test/internals/money", true},
		{"a.test/shop", "a.test/shop/internal/money", true},
		{"a.test/shop/cart", "a.test/shop/internal/money", true},
		{"a.test/shop", "a.test/internal", true},
		{"a.test/shopping", "a.test/shop/internal/money", false},
		{"a.test/shop", "b.test/internal/money", false},
		{"a.test/shop", "a.test/internal/x/internal/money", false},
		{"a.test/shop", "internal/bytealg", false},
	} {
		if got := mayImport(c.from, c.path); got != c.want {
			t.Errorf("%s imports %s: %v", c.from, c.path, got)
		}
	}
}
