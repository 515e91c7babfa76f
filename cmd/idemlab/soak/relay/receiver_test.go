package relay

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
)

// countViolations returns those that have cases.
func countViolations(all []finding.Violation) map[string]int {
	n := map[string]int{}
	for _, v := range all {
		if v.Count > 0 {
			n[v.Oracle] += v.Count
		}
	}
	return n
}

func startReceiver(t *testing.T) *receiver {
	t.Helper()
	r, err := newReceiver(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

// post sends one request; "": no answer came.
func post(t *testing.T, r *receiver, id, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, r.url+"/to/1", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", id)
	transport := &http.Transport{DisableKeepAlives: true} // which would send again by itself
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	data, _ := io.ReadAll(resp.Body)
	if status := resp.StatusCode; (status == http.StatusServiceUnavailable) != (resp.Header.Get("Retry-After") != "") {
		t.Errorf("%d with Retry-After %q", status, resp.Header.Get("Retry-After"))
	}
	return resp.StatusCode, string(data)
}

// TestReceiverHonoursKeys: whatever it does to requests, a command has one effect and one receipt.
func TestReceiverHonoursKeys(t *testing.T) {
	t.Parallel()
	r := startReceiver(t)
	const commands, requests = 60, 8
	lost := 0
	for n := range commands {
		id, receipt := fmt.Sprint("cmd_", n), ""
		for range requests {
			status, answer := post(t, r, id, fmt.Sprintf(`{"who":"%d-0"}`, n))
			switch {
			case status == 0:
				lost++
			case status >= 300:
			case receipt == "":
				receipt = answer
			case receipt != answer:
				t.Errorf("%s has the receipts %q and %q", id, receipt, answer)
			}
		}
	}
	k := r.snapshot()
	c := k.counts
	if lost == 0 || lost != c.lost || c.all != commands*requests || c.effects != commands || c.duplicates+c.told != commands*(requests-1) {
		t.Errorf("%d answers are missing; %+v", lost, c)
	}
	for of, n := range k.effects {
		if n != 1 {
			t.Errorf("%s had its effect %d times", of, n)
		}
	}
	if v := countViolations(k.violated); len(v) != 0 {
		t.Errorf("%v", v)
	}
}

// untilEffect sends a command until it has had its effect.
func untilEffect(t *testing.T, r *receiver, id, body string) {
	t.Helper()
	for range 20 {
		if post(t, r, id, body); r.snapshot().commands[id].receipt != "" {
			return
		}
	}
	t.Fatalf("%s has no effect", id)
}

func TestReceiverSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	r := startReceiver(t)
	// Two ids for one command are two effects.
	untilEffect(t, r, "a", `{"who":"1-0"}`)
	untilEffect(t, r, "b", `{"who":"1-0"}`)
	if n := r.snapshot().effects["1-0"]; n != 2 {
		t.Errorf("%d effects", n)
	}
	if status, _ := post(t, r, "a", `{"who":"2-0"}`); status != http.StatusUnprocessableEntity {
		t.Errorf("another payload: %d", status)
	}
	for _, position := range []int{1, 2, 4, 3, 5} {
		untilEffect(t, r, fmt.Sprint("c", position), fmt.Sprintf(`{"who":"3-%d","key":"k","position":%d}`, position, position))
	}
	v := countViolations(r.snapshot().violated)
	if v["O6"] != 2 || v["O7"] != 1 { // 4 after 2, and 3 after 4
		t.Errorf("%v", v)
	}
}
