package pgtest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// machine is a file system with these server directories; path is where `postgres` on the PATH leads.
func machine(path string, bins ...string) finder {
	files := map[string]bool{}
	for _, bin := range bins {
		files[bin+"/postgres"], files[bin+"/initdb"] = true, true
	}
	return finder{
		lookPath: func(string) (string, error) {
			if path == "" {
				return "", errors.New("not found")
			}
			return "/links/postgres", nil
		},
		resolve: func(string) (string, error) { return path, nil },
		glob: func(pattern string) ([]string, error) {
			before, after, _ := strings.Cut(pattern, "*")
			found := slices.DeleteFunc(slices.Clone(bins), func(bin string) bool {
				return !strings.HasPrefix(bin, before) || !strings.HasSuffix(bin, after)
			})
			return found, nil
		},
		executable: func(path string) bool { return files[path] },
		download: func(context.Context) (installation, error) {
			return installation{bin: "downloaded"}, nil
		},
	}
}

func TestFindOrder(t *testing.T) {
	const debian9, debian16, brew = "/usr/lib/postgresql/9.6/bin", "/usr/lib/postgresql/16/bin", "/opt/homebrew/opt/postgresql@17/bin"
	tests := map[string]struct {
		f    finder
		want string
	}{
		"the PATH first":           {machine("/nix/bin/postgres", "/nix/bin", debian16), "/nix/bin"},
		"a PATH without initdb":    {machine("/usr/bin/postgres", debian16), debian16},
		"the newest version":       {machine("", debian9, debian16), debian16},
		"packages before Homebrew": {machine("", brew, debian9), debian9},
		"Homebrew":                 {machine("", brew), brew},
		"Postgres.app": {machine("", "/Applications/Postgres.app/Contents/Versions/17/bin"),
			"/Applications/Postgres.app/Contents/Versions/17/bin"},
		"at last the download": {machine(""), "downloaded"},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			in, err := tests[name].f.find(context.Background())
			if err != nil || in.bin != tests[name].want {
				t.Errorf("found %q, want %q (%v)", in.bin, tests[name].want, err)
			}
		})
	}
}

func TestFindNothing(t *testing.T) {
	f, offline := machine(""), errors.New("offline")
	f.download = func(context.Context) (installation, error) { return installation{}, offline }
	_, err := f.find(context.Background())
	var none *NoServerError
	if !errors.As(err, &none) || !errors.Is(err, offline) || !strings.Contains(err.Error(), EnvURL) {
		t.Errorf("got %v", err)
	}
}
