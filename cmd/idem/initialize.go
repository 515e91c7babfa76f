package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/gen/lock"
	"github.com/idem-go/idem/gen/registry"
)

// handlerFile is what init calls the file that it makes.
const handlerFile = "idem.go"

func initVerb() *cli.Command {
	cmd := &cli.Command{
		Name:    "idem init",
		Args:    "[dir]",
		Summary: "Begin to use idem in a package.",
		Text: `In the package of dir, by default the current directory, it makes what is not there yet:

  idem.lock                 what idem has made; in the root of the module, or where one is
  a //go:generate line      so that 'go generate ./...' runs idem
  a first handler           annotated, with one effect

The last two go into a new file, idem.go. No file is overwritten, and a second run changes
nothing. In an empty directory it begins a package that is named after the directory.`,
	}
	cmd.Run = func(_ context.Context, c *cli.Console, args []string) error {
		if err := cmd.AtMost(1, args); err != nil {
			return err
		}
		dir := "."
		if len(args) == 1 {
			dir = args[0]
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return cmd.Usagef("%s is not a directory", dir)
		}
		return initialize(c, dir)
	}
	return cmd
}

func initialize(c *cli.Console, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	module, err := moduleAbove(dir)
	if err != nil {
		return err
	}
	p, err := look(dir, module)
	if err != nil {
		return err
	}
	lockPath, err := lock.Locate(dir)
	if err != nil {
		return err
	}
	current, err := lock.Read(lockPath, cli.ShortPath(lockPath), registry.Kinds.Lock())
	if err != nil {
		return err
	}
	s := newScaffold(p, current)
	if err := writeHandler(c, p, s); err != nil {
		return err
	}
	if err := writeLock(c, lockPath, current); err != nil {
		return err
	}
	printNext(c, p, path.Join(filepath.ToSlash(cli.ShortPath(filepath.Dir(lockPath))), current.Migrations.Dir))
	return nil
}

// writeHandler makes idem.go with what the package lacks.
func writeHandler(c *cli.Console, p *goPackage, s scaffold) error {
	if p.generateAt != "" {
		fmt.Fprintf(c.Out, "kept    %s, which runs idem\n", p.generateAt)
	}
	if p.directiveAt != "" {
		fmt.Fprintf(c.Out, "kept    %s, an annotation\n", p.directiveAt)
	}
	if !s.Generate && !s.Handler {
		return nil
	}
	target := filepath.Join(p.dir, handlerFile)
	content, err := s.render()
	if err != nil {
		return err
	}
	err = writeNew(target, content)
	if errors.Is(err, fs.ErrExist) {
		return cli.Refusef("%s is there, and is left alone; add to it or to another file: %s", cli.ShortPath(target), s.lacks())
	}
	if err == nil {
		fmt.Fprintf(c.Out, "created %s\n", cli.ShortPath(target))
	}
	return err
}

func writeLock(c *cli.Console, target string, current *lock.Lock) error {
	content, err := current.Encode()
	if err != nil {
		return err
	}
	err = writeNew(target, content)
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintf(c.Out, "kept    %s\n", cli.ShortPath(target))
		return nil
	}
	if err == nil {
		fmt.Fprintf(c.Out, "created %s\n", cli.ShortPath(target))
	}
	return err
}

// writeNew writes a file where there is none.
func writeNew(name string, content []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// printNext says how to get from here to a handler that runs.
func printNext(c *cli.Console, p *goPackage, migrations string) {
	var b strings.Builder
	step := func(command, why string) { fmt.Fprintf(&b, "  %-50s  # %s\n", command, why) }
	b.WriteString("\nNext:\n")
	if !p.module.hasTool() {
		step("go get -tool "+commandPath, "once per module")
	}
	step("go generate "+packagePath(p.dir), "writes idem_gen.go, and a migration to "+migrations)
	step("go tool idem migrate up --database URL", "makes the tables of the runtime")
	fmt.Fprintf(&b, "\nApply the migrations in %s with the tool that you use, and register the handlers in a worker:\n", migrations)
	fmt.Fprintf(&b, "see 'go doc %s.NewWorker'.\n", runtimePath)
	fmt.Fprint(c.Out, b.String())
}

// packagePath is a directory as the go command wants it.
func packagePath(dir string) string {
	rel := filepath.ToSlash(cli.ShortPath(dir))
	if rel == "." || strings.HasPrefix(rel, "../") || filepath.IsAbs(rel) {
		return rel
	}
	return "./" + rel
}
