package golangci_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/idem-go/idem/lint"
	_ "github.com/idem-go/idem/lint/golangci"
)

func TestRegistered(t *testing.T) {
	newPlugin, err := register.GetPlugin("idem")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		settings any
		want     int // analyzers; -1: refused
	}{
		{nil, len(lint.Analyzers)},
		{map[string]any{"disable": []string{"missingconflict"}}, len(lint.Analyzers) - 1},
		{map[string]any{"enable": []string{"attemptkey", "freshkey"}}, 2},
		{map[string]any{"enable": []string{"atemptkey"}}, -1},
		{map[string]any{"enabled": []string{"attemptkey"}}, -1},
	}
	for _, tt := range tests {
		p, err := newPlugin(tt.settings)
		if tt.want < 0 {
			if err == nil {
				t.Errorf("%v: not refused", tt.settings)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", tt.settings, err)
		}
		analyzers, err := p.BuildAnalyzers()
		if err != nil || len(analyzers) != tt.want {
			t.Errorf("%v: %d analyzers, %v", tt.settings, len(analyzers), err)
		}
		if p.GetLoadMode() != register.LoadModeTypesInfo {
			t.Errorf("load mode %s", p.GetLoadMode())
		}
	}
}
