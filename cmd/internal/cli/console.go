package cli

import (
	"io"
	"os"
	"path/filepath"
)

// Console is what a command talks to.
type Console struct {
	Out, Err io.Writer
	Env      func(string) string
}

// Color is an ANSI colour.
type Color string

// The colours that commands use.
const (
	Red   Color = "\x1b[31m"
	Green Color = "\x1b[32m"
	Cyan  Color = "\x1b[36m"
	reset Color = "\x1b[0m"
)

// Paint colours text that goes to standard output, where a person looks at it.
func (c *Console) Paint(col Color, text string) string {
	if c.Env("NO_COLOR") != "" || c.Env("TERM") == "dumb" || !c.Terminal() {
		return text
	}
	return string(col) + text + string(reset)
}

// Terminal reports whether standard output is one.
func (c *Console) Terminal() bool {
	file, ok := c.Out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// ShortPath returns an absolute path relative to the working directory where that is shorter, as the go
// command does.
func ShortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	if real, err := filepath.EvalSymlinks(wd); err == nil {
		wd = real
	}
	if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}
