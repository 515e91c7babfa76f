package faulttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/idem-go/idem/runtime/internal/wire"
)

// exchange is a request of the worker and its reply, in the run without a fault.
type exchange struct {
	n                 int    // its place among those from the claim on, from 1
	label             string // for people
	claims, completes bool
}

func (e exchange) String() string { return fmt.Sprintf("%d, %s", e.n, e.label) }

// What tells the runtime's own statements apart, see sql.go there.
const (
	claimSQL    = `SET state = 'running'`
	completeSQL = `SET state = 'completed'`
)

// record notes a quiet worker's exchanges from its claim to its completion. done gives them.
func (tr *trial) record() (done func() []exchange) {
	var mu sync.Mutex
	var requests []wire.Request
	tr.wires().Observe(func(r wire.Request) {
		mu.Lock()
		defer mu.Unlock()
		requests = append(requests, r)
	})
	return func() []exchange {
		mu.Lock()
		defer mu.Unlock()
		return exchanges(requests)
	}
}

func exchanges(requests []wire.Request) (list []exchange) {
	statements := 0
	for _, r := range requests {
		if len(list) == 0 && !mentions(r, claimSQL) {
			continue
		}
		e := exchange{n: len(list) + 1, claims: wire.Statement(claimSQL)(r), completes: wire.Statement(completeSQL)(r)}
		switch {
		case mentions(r, claimSQL):
			e.label = "the claim"
		case mentions(r, completeSQL):
			e.label = "the completion"
		default:
			statements++
			e.label = describe(slices.Concat(r.Statements, r.Prepares))
		}
		if len(r.Statements) == 0 {
			e.label = "preparing " + e.label
		}
		list = append(list, e)
		if e.completes {
			return list
		}
	}
	return list
}

func mentions(r wire.Request, text string) bool {
	contains := func(sql string) bool { return strings.Contains(sql, text) }
	return slices.ContainsFunc(r.Statements, contains) || slices.ContainsFunc(r.Prepares, contains)
}

// head is how a statement begins: what it does, and to which table.
var head = regexp.MustCompile(`(?is)^\s*(insert\s+into|delete\s+from|update|select|with|copy|begin|savepoint|release|\w+)\s*("?[\w."]*)`)

// describe names statements by how they begin.
func describe(statements []string) string {
	var parts []string
	for _, sql := range statements {
		m := head.FindStringSubmatch(sql)
		if m == nil || strings.EqualFold(m[1], "begin") && len(statements) > 1 {
			continue
		}
		part := strings.ToUpper(strings.Join(strings.Fields(m[1]), " "))
		if name := strings.Trim(strings.ReplaceAll(m[2], `"`, ""), "."); name != "" && part != "SELECT" && part != "WITH" {
			part += " " + name
		}
		parts = append(parts, part)
	}
	if len(parts) > 3 {
		parts = append(parts[:3], fmt.Sprintf("%d more", len(parts)-3))
	}
	return strings.Join(parts, ", ")
}

// nth picks the n-th request from the claim on.
func nth(n int) wire.Match {
	seen := 0
	return func(r wire.Request) bool {
		if seen > 0 || mentions(r, claimSQL) {
			seen++
		}
		return seen == n
	}
}
