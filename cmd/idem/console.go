package main

import (
	"io"
	"os"
	"path/filepath"
)

// console is what a command talks to.
type console struct {
	out, err io.Writer
	env      func(string) string
}

// color is an ANSI colour.
type color string

const (
	red   color = "\x1b[31m"
	green color = "\x1b[32m"
	cyan  color = "\x1b[36m"
	reset color = "\x1b[0m"
)

// paint colours text that goes to standard output, where a person looks at it.
func (c *console) paint(col color, text string) string {
	if c.env("NO_COLOR") != "" || c.env("TERM") == "dumb" || !isTerminal(c.out) {
		return text
	}
	return string(col) + text + string(reset)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// shortPath gives an absolute path relative to the working directory where that is shorter, as the go
// command does.
func shortPath(path string) string {
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
