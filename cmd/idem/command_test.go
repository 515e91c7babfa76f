package main

import (
	"bytes"
	"context"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/idem-go/idem/cmd/internal/cli"
)

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	status := run(ctx, []string{"generate", "."}, &out, &err, func(string) string { return "" })
	if status != cli.ExitInternal || err.String() != "idem: interrupted\n" {
		t.Errorf("status %d, %q", status, err.String())
	}
}

func TestEveryVerbExplainsItself(t *testing.T) {
	var visit func(cmd *cli.Command)
	visit = func(cmd *cli.Command) {
		if cmd.Summary == "" || (cmd.Run == nil) == (len(cmd.Verbs) == 0) {
			t.Errorf("%s: a summary, and either verbs or something to run", cmd.Name)
		}
		for _, verb := range cmd.Verbs {
			if !strings.HasPrefix(verb.Name, cmd.Name+" ") {
				t.Errorf("%s is a verb of %s", verb.Name, cmd.Name)
			}
			visit(verb)
		}
	}
	visit(root())
}

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
		c := &cli.Console{Out: tt.out, Env: func(name string) string {
			if name == tt.variable {
				return "1"
			}
			return ""
		}}
		if got := c.Paint(cli.Red, "x"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestVersion(t *testing.T) {
	tests := []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "idem (unknown version)"},
		{&debug.BuildInfo{GoVersion: "go1.26.0"}, "idem devel (go1.26.0)"},
		{&debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}}, "idem devel (go1.26.0)"},
		{&debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}}, "idem v1.2.3 (go1.26.0)"},
	}
	for _, tt := range tests {
		if got := version(tt.info); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestRedact(t *testing.T) {
	tests := map[string]string{
		"open postgres://ann:hunter2@db/shop: no":     "open postgres://xxxxx@db/shop: no",
		`"postgres://ann:hun/ter@2@db/shop"`:          `"postgres://xxxxx@db/shop"`,
		"host=db password=hunter2 user=ann":           "host=db password=xxxxx user=ann",
		"host=db PASSWORD = 'hunter 2' user=ann":      "host=db PASSWORD=xxxxx user=ann",
		"postgres://db/shop?password=hunter2&x=y":     "postgres://db/shop?password=xxxxx&x=y",
		"see https://example.com/x and ann@localhost": "see https://example.com/x and ann@localhost",
	}
	for text, want := range tests {
		if got := cli.Redact(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestPackageName(t *testing.T) {
	tests := map[string]string{
		"payments": "payments", "go-mailer": "gomailer", "Billing": "billing", "2fa": "fa", "a_b": "a_b",
		"func": "handlers", "main": "handlers", "---": "handlers", "été": "été",
	}
	for dir, want := range tests {
		if got := packageName(dir); got != want {
			t.Errorf("packageName(%q) = %q, want %q", dir, got, want)
		}
	}
}
