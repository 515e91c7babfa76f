package pgtest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// archive is an .txz of bin/postgres, bin/initdb and bin/pg_ctl, each a shell script that fails.
const archive = `/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Cf/AJtdADEaShsFkZA3OlG9V3Gz1uQT2IkQonAbexNN15tic70r6rNJbkVqC6RLQH26
65UL531xp7xGLwZ7XwcXL/wvKJ1XmYboX9C1sHqiJXeoA4tSCUm8xy/szQTiQjJWrqQBPSE1MVZxdApxsaUBJX5LtJPqmgdcNJiL
V3duDxXncyigyHJ3NjxDKQRRNiKG7snAepIgKTJOWNxa35gAAADYbvimGSe4ZAABtwGAUAAAK0YfeLHEZ/sCAAAAAARZWg==`

// repository serves archive as a Maven repository would, and counts how often.
func repository(t *testing.T) (url string, served *atomic.Int32) {
	t.Helper()
	txz, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(archive, "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	var jar bytes.Buffer
	w := zip.NewWriter(&jar)
	f, err := w.Create("postgres.txz")
	if err == nil {
		_, err = f.Write(txz)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	served = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, ".jar") {
			http.NotFound(w, r)
			return
		}
		served.Add(1)
		_, _ = w.Write(jar.Bytes())
	}))
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections() // the library's
		server.Close()
	})
	return server.URL, served
}

func TestDownloadOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // the library leaves a log there
	url, served := repository(t)
	d := downloader{cache: filepath.Join(t.TempDir(), "cache"), repository: url, version: "17.0.0"}
	for range 2 {
		in, err := d.download(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !complete(in.bin, executable) {
			t.Fatalf("no server in %s", in.bin)
		}
	}
	if n := served.Load(); n != 1 {
		t.Errorf("downloaded %d times", n)
	}
	if left, _ := filepath.Glob(filepath.Join(d.cache, "unpack-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestDownloadFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()
	d := downloader{cache: t.TempDir(), repository: server.URL, version: "17.0.0"}
	if in, err := d.download(context.Background()); err == nil {
		t.Errorf("got %v", in)
	}
	if left, err := os.ReadDir(d.cache); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
