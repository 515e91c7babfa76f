//go:build unix

package idem_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// release lets the go command find this checkout as a released version, and returns the environment in which it does.
//
// The version is unpacked in the module cache that is there, beside what it needs: a go tool is compiled anew wherever its
// modules have moved to another folder. It is named after the checkout, and removed at the test's end.
func release(t *testing.T) []string {
	t.Helper()
	alone(t)
	checkout, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	version := fmt.Sprintf("v0.1.0-x%.6x", sha256.Sum256([]byte(checkout)))
	forget(t, version) // what a killed test has left
	t.Cleanup(func() { forget(t, version) })
	return []string{
		"GOPROXY=file://" + proxy(t, version) + "," + goEnv(t, "GOPROXY"),
		"GOFLAGS=-modcacherw", "GOSUMDB=off", "GOWORK=off",
	}
}

// alone waits for other tests of this checkout, which release the same version.
func alone(t *testing.T) {
	t.Helper()
	f, err := os.Open("README.md")
	if err == nil {
		t.Cleanup(func() { _ = f.Close() }) // which frees the lock
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// proxy makes a module proxy that has the one version, and returns its folder.
func proxy(t *testing.T, version string) string {
	t.Helper()
	folder := t.TempDir()
	dir := filepath.Join(folder, filepath.FromSlash(idemModule), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, module.Version{Path: idemModule, Version: version}, "."); err != nil {
		t.Fatal(err)
	}
	goMod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".mod": goMod, version + ".zip": archive.Bytes(),
		version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// forget removes a version of idem from the module cache.
func forget(t *testing.T, version string) {
	t.Helper()
	cache := goEnv(t, "GOMODCACHE")
	kept := filepath.Join(cache, "cache", "download", filepath.FromSlash(idemModule), "@v")
	files, err := filepath.Glob(filepath.Join(kept, version+".*"))
	if err != nil {
		t.Fatal(err)
	}
	// The list is the go command's note of the versions beside it, which it makes again.
	for _, path := range append(files, filepath.Join(kept, "list"), filepath.Join(cache, filepath.FromSlash(idemModule)+"@"+version)) {
		if err := os.RemoveAll(path); err != nil {
			t.Error(err)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output() // at a test's end as well, when its context is over
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
