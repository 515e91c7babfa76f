package demo

import (
	"fmt"
	"io"
	"strings"
)

// progress tells how far the work is: in one line on a terminal, else in a line for each tenth.
type progress struct {
	out      io.Writer
	terminal bool
	tenth    int
}

const barWidth = 30

func (p *progress) line(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

func (p *progress) update(done, all, kills int) {
	filled := done * barWidth / max(all, 1)
	line := fmt.Sprintf("[%s%s] %s of %s steps, %d kills",
		strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), thousands(done), thousands(all), kills)
	switch tenth := done * 10 / max(all, 1); {
	case p.terminal:
		fmt.Fprintf(p.out, "\r%s ", line)
	case tenth > p.tenth:
		p.tenth = tenth
		fmt.Fprintln(p.out, line)
	}
}

func (p *progress) end() {
	if p.terminal {
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out)
}
