package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/gen/output"
)

// printDiff shows what writing the files would change, as patch and git apply read it.
func printDiff(c *cli.Console, files []output.File) error {
	for _, f := range files {
		old, err := os.ReadFile(f.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		name := filepath.ToSlash(cli.ShortPath(f.Rel))
		before, after := "a/"+name, "b/"+name
		if f.State == output.Created {
			before = os.DevNull
		}
		if f.State == output.Orphaned {
			after = os.DevNull
		}
		for line := range strings.Lines(string(diff.Diff(before, old, after, f.Content))) {
			fmt.Fprintln(c.Out, paintDiff(c, strings.TrimSuffix(line, "\n")))
		}
	}
	return nil
}

func paintDiff(c *cli.Console, line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return c.Paint(cli.Green, line)
	case strings.HasPrefix(line, "-"):
		return c.Paint(cli.Red, line)
	case strings.HasPrefix(line, "@@"):
		return c.Paint(cli.Cyan, line)
	}
	return line
}
