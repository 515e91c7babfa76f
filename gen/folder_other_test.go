//go:build !unix

package gen_test

import "testing"

func folder(t testing.TB) string { return t.TempDir() }
