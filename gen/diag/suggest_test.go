package diag

import "testing"

func TestSuggest(t *testing.T) {
	known := []string{"action", "step", "effect", "max_attempts", "max_reclaims", "key"}
	tests := map[string]string{
		"stpe":        "step",
		"steps":       "step",
		"Step":        "step",
		"acton":       "action",
		"maxattempts": "max_attempts",
		"max-attempt": "max_attempts",
		"kye":         "key",
		"flow":        "",
		"x":           "",
		"":            "",
	}
	for word, want := range tests {
		if got := Suggest(word, known); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestSuggestPrefersTheFirstOfEquals(t *testing.T) {
	if got := Suggest("max_inputs", []string{"max_input", "max_output"}); got != "max_input" {
		t.Errorf("got %q", got)
	}
}
