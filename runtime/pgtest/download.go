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

// downloader fetches server binaries into a cache that all processes of this user share.
type downloader struct {
	cache      string
	repository string // "": the library's own, Maven Central
	version    embeddedpostgres.PostgresVersion
}

func download(ctx context.Context) (installation, error) {
	cache, err := cacheDir()
	if err != nil {
		return installation{}, err
	}
	return downloader{cache: cache, version: embeddedpostgres.V17}.download(ctx)
}

func (d downloader) download(ctx context.Context) (installation, error) {
	root := filepath.Join(d.cache, "postgres-"+string(d.version))
	in := installation{filepath.Join(root, "bin"), fmt.Sprintf("the download of Postgres %s, kept in %s", d.version, root)}
	if complete(in.bin, executable) {
		return in, nil
	}
	if err := ctx.Err(); err != nil {
		return installation{}, err
	}
	if err := d.unpack(root); err != nil && !complete(in.bin, executable) { // another process may have been faster
		return installation{}, err
	}
	return in, nil
}

// unpack makes the installation aside and then renames it: another process never sees half of one.
func (d downloader) unpack(root string) error {
	if err := os.MkdirAll(d.cache, 0o755); err != nil {
		return err
	}
	aside, err := os.MkdirTemp(d.cache, "unpack-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(aside) }()
	server := filepath.Join(aside, "server")
	if err := d.fetch(filepath.Join(aside, "run"), server); err != nil {
		return err
	}
	return os.Rename(server, root)
}

// fetch downloads and unpacks the binaries without running a server, which is pgtest's own to start and to stop. The
// library offers this only as the first part of its Start: here initdb then refuses to go on, over an encoding that does
// not exist.
func (d downloader) fetch(run, into string) error {
	config := embeddedpostgres.DefaultConfig().
		Version(d.version).
		Port(freePort()).
		CachePath(d.cache).
		RuntimePath(run).
		BinariesPath(into).
		Encoding("none").
		Logger(io.Discard)
	if d.repository != "" {
		config = config.BinaryRepositoryURL(d.repository)
	}
	err := embeddedpostgres.NewDatabase(config).Start()
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
