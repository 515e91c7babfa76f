// Package progress tells a person how far a long command is.
package progress

import (
	"fmt"
	"io"
	"strings"
)

// Bar shows how far the work is: in one line on a terminal, else in a line for each tenth.
type Bar struct {
	out      io.Writer
	terminal bool
	tenth    int
	width    int // of the last line
}

// New makes a bar that is written to out.
func New(out io.Writer, terminal bool) *Bar { return &Bar{out: out, terminal: terminal} }

const barWidth = 30

// Linef writes a line of its own.
func (b *Bar) Linef(format string, args ...any) { fmt.Fprintf(b.out, format+"\n", args...) }

// Update tells that done of all is done; text stands behind the bar.
func (b *Bar) Update(done, all int, text string) {
	done = min(done, all)
	filled := done * barWidth / max(all, 1)
	line := fmt.Sprintf("[%s%s] %s", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), text)
	switch tenth := done * 10 / max(all, 1); {
	case b.terminal:
		fmt.Fprintf(b.out, "\r%-*s ", b.width, line)
		b.width = len(line)
	case tenth > b.tenth:
		b.tenth = tenth
		fmt.Fprintln(b.out, line)
	}
}

// End leaves the bar's line.
func (b *Bar) End() {
	if b.terminal {
		fmt.Fprintln(b.out)
	}
	fmt.Fprintln(b.out)
}

// Thousands writes a number with commas.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return strings.Replace(s, "-,", "-", 1)
}
