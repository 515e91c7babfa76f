package cli

import (
	"os"
	"testing"
)

func TestPaint(t *testing.T) {
	terminal, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tests := []struct {
		name     string
		out      *os.File
		variable string
		want     string
	}{
		{"terminal", terminal, "", "\x1b[31mx\x1b[0m"},
		{"NO_COLOR", terminal, "NO_COLOR", "x"},
		{"file", file, "", "x"},
	}
	for _, tt := range tests {
		c := &Console{Out: tt.out, Env: func(name string) string {
			if name == tt.variable {
				return "1"
			}
			return ""
		}}
		if got := c.Paint(Red, "x"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
