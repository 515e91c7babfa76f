//go:build unix

package gen_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// folder returns an empty folder for a module: the same one in each run, unless another test has it. What the go command
// and its tools keep of a package is under the name of its folder, and would be of no use in another one.
func folder(t testing.TB) string {
	t.Helper()
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	dir := filepath.Join(cache, "idem", fmt.Sprintf("gen-test-%.6x", sha256.Sum256([]byte(checkout))))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return t.TempDir()
	}
	lock, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return t.TempDir()
	}
	empty(t, dir) // of what a killed test has left
	t.Cleanup(func() { empty(t, dir) })
	return dir
}

// empty removes what is in a folder. The folder stays, since it is the lock as well.
func empty(t testing.TB, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			t.Error(err)
		}
	}
}
