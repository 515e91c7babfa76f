package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

const downloadVersion = embeddedpostgres.V17

// download fetches server binaries into a cache that all processes of this user share.
func download(ctx context.Context) (installation, error) {
	cache, err := cacheDir()
	if err != nil {
		return installation{}, err
	}
	root := filepath.Join(cache, "postgres-"+string(downloadVersion))
	in := installation{filepath.Join(root, "bin"), fmt.Sprintf("the download of Postgres %s, kept in %s", downloadVersion, root)}
	if complete(in.bin, executable) {
		return in, nil
	}
	if err := ctx.Err(); err != nil {
		return installation{}, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return installation{}, err
	}
	// Unpacked aside and then renamed: another process never sees half an installation.
	aside, err := os.MkdirTemp(cache, "unpack-")
	if err != nil {
		return installation{}, err
	}
	defer func() { _ = os.RemoveAll(aside) }()
	if err := os.Chmod(aside, 0o755); err != nil {
		return installation{}, err
	}
	unpacked := filepath.Join(aside, "server")
	if err := fetch(cache, filepath.Join(aside, "run"), unpacked); err != nil {
		return installation{}, err
	}
	if err := os.Rename(unpacked, root); err != nil && !complete(in.bin, executable) {
		return installation{}, err
	}
	return in, nil
}

// fetch downloads and unpacks the binaries without running them. The library offers this only as the first part of Start,
// which it is given to do here with an encoding that initdb refuses: the server is pgtest's own to start and to stop.
func fetch(cache, run, into string) error {
	err := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(downloadVersion).
		Port(freePort()).
		CachePath(cache).
		RuntimePath(run).
		BinariesPath(into).
		Encoding("none").
		Logger(io.Discard)).Start()
	if complete(filepath.Join(into, "bin"), executable) {
		return nil
	}
	if err == nil {
		err = errors.New("the archive holds no server")
	}
	return err
}

// cacheDir is the user's cache; for root a place that the server's user can enter, which /root is not.
func cacheDir() (string, error) {
	if os.Geteuid() == 0 {
		if runtime.GOOS == "darwin" {
			return "/Library/Caches/idem", nil
		}
		return "/var/cache/idem", nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "idem"), nil
}
