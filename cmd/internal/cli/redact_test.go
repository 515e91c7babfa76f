package cli

import "testing"

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
		if got := Redact(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
