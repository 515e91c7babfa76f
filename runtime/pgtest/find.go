package pgtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// EnvURL is the environment variable that names a Postgres server to use instead of starting one.
const EnvURL = "IDEM_DATABASE_URL"

// installation is a directory that holds initdb and postgres.
type installation struct {
	bin    string
	source string // for people: where it comes from
}

// finder looks for server binaries. Its functions are fields so that the order of the search can be tested.
type finder struct {
	lookPath   func(name string) (string, error)
	resolve    func(path string) (string, error) // follows symbolic links
	glob       func(pattern string) ([]string, error)
	executable func(path string) bool
	download   func(ctx context.Context) (installation, error)
}

var systemFinder = finder{
	lookPath:   exec.LookPath,
	resolve:    filepath.EvalSymlinks,
	glob:       filepath.Glob,
	executable: executable,
	download:   download,
}

// places are where package managers put servers that they do not put on the PATH, by preference.
var places = []struct{ pattern, source string }{
	{"/usr/lib/postgresql/*/bin", "the system's package"}, // Debian, Ubuntu
	{"/usr/pgsql-*/bin", "the system's package"},          // the Postgres project's own packages for Fedora and RHEL
	{"/opt/homebrew/opt/postgresql*/bin", "Homebrew"},
	{"/usr/local/opt/postgresql*/bin", "Homebrew"},
	{"/Applications/Postgres.app/Contents/Versions/*/bin", "Postgres.app"},
}

func (f finder) find(ctx context.Context) (installation, error) {
	if in, ok := f.onPath(); ok {
		return in, nil
	}
	for _, place := range places {
		bins, _ := f.glob(place.pattern) // its only error is a bad pattern
		slices.SortFunc(bins, newestFirst)
		for _, bin := range bins {
			if f.complete(bin) {
				return installation{bin, place.source + " in " + bin}, nil
			}
		}
	}
	in, err := f.download(ctx)
	if err != nil {
		return installation{}, &NoServerError{Err: err}
	}
	return in, nil
}

// onPath follows a link on the PATH to the directory that has both programs, since postgres may be linked without initdb.
func (f finder) onPath() (installation, bool) {
	path, err := f.lookPath("postgres")
	if err != nil {
		return installation{}, false
	}
	if real, err := f.resolve(path); err == nil {
		path = real
	}
	bin, err := filepath.Abs(filepath.Dir(path))
	if err != nil || !f.complete(bin) {
		return installation{}, false
	}
	return installation{bin, "the PATH: " + bin}, true
}

func (f finder) complete(bin string) bool { return complete(bin, f.executable) }

func complete(bin string, executable func(path string) bool) bool {
	return executable(filepath.Join(bin, "postgres")) && executable(filepath.Join(bin, "initdb"))
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

var number = regexp.MustCompile(`\d+`)

// newestFirst orders paths by the last number in them, the server's version: 16 before 9.
func newestFirst(a, b string) int {
	return version(b) - version(a)
}

func version(path string) int {
	numbers := number.FindAllString(path, -1)
	if len(numbers) == 0 {
		return 0
	}
	v, _ := strconv.Atoi(numbers[len(numbers)-1])
	return v
}
