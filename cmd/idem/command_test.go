package main

import (
	"bytes"
	"context"
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
