package httpsender

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/idem-go/idem/runtime/outbox"
)

// Two spellings of one header name are one header with both values, in the same order at every send: a command's bytes do not
// depend on the order of a map.
func TestHeadersInTwoSpellings(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Header: func(outbox.Command) http.Header {
		return http.Header{"x-shop": {"b", "c"}, "X-Shop": {"a"}, "X-SHOP": {"z"}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	to := &url.URL{Scheme: "https", Host: "example.com"}
	for range 50 {
		req, err := s.request(t.Context(), to, outbox.Command{ID: "cmd_1"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := req.Header["X-Shop"], []string{"z", "a", "b", "c"}; !slices.Equal(got, want) {
			t.Fatalf("it sends %q, want %q", got, want)
		}
	}
}
