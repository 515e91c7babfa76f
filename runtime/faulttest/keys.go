package faulttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idem-go/idem/runtime"
)

// mismatches are second payloads under a key that has one.
func (s *suite) mismatches() (list []*fault) {
	for _, v := range s.variations() {
		if len(list) == 0 {
			list = append(list, &fault{
				name: "enqueued again with the same key and another input",
				play: func(tr *trial) {
					tr.play()
					if _, err := tr.enqueue(v.input); !errors.Is(err, runtime.ErrPayloadMismatch) {
						tr.problem("enqueueing it gives %v, and must give %v", err, runtime.ErrPayloadMismatch)
					}
					tr.fire()
				},
			})
		}
		list = append(list, &fault{
			name:    "the key of an earlier payload" + v.suffix,
			play:    func(tr *trial) { tr.playMismatch(v) },
			check:   func(*trial) {}, // playMismatch looks
			outcome: "nothing in silence",
			want:    want{open: true},
			diverts: true, // the other input may ask for something else
		})
	}
	return list
}

// variation is another input.
type variation struct {
	suffix string // of the fault's name
	input  json.RawMessage
}

// most bounds how many values of an input are changed in turn.
const most = 6

// variations returns the other inputs: the author's, or the input with one value changed.
func (s *suite) variations() (list []variation) {
	if s.other != nil && string(s.other) != string(s.input) {
		return []variation{{"", s.other}}
	}
	dec := json.NewDecoder(strings.NewReader(string(s.input)))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil
	}
	change(tree, "", func(any) {}, func(path string) {
		raw, err := json.Marshal(tree)
		if err != nil || len(list) == most {
			return
		}
		if input, err := s.again(raw); err == nil && string(input) != string(s.input) {
			list = append(list, variation{", with another " + path, input})
		}
	})
	return list
}

// change changes one value after the other, calls tried, and changes it back.
func change(v any, path string, set func(any), tried func(path string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			change(v[name], strings.TrimPrefix(path+"."+name, "."), func(x any) { v[name] = x }, tried)
		}
	case []any:
		for i := range v {
			change(v[i], fmt.Sprintf("%s[%d]", path, i), func(x any) { v[i] = x }, tried)
		}
	default:
		if other := changed(v); other != nil && path != "" {
			set(other)
			tried(path)
			set(v)
		}
	}
}

// changed returns another value of the same kind; nil where there is none.
func changed(v any) any {
	switch v := v.(type) {
	case bool:
		return !v
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n + 1
		}
		if f, err := v.Float64(); err == nil {
			return f + 1
		}
	case string:
		if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return t.Add(time.Hour)
		}
		if len(v) == 36 && strings.Count(v, "-") == 4 { // a UUID
			last := byte('0')
			if v[35] == last {
				last = '1'
			}
			return v[:35] + string(last)
		}
		return v + " 2"
	}
	return nil
}

// playMismatch runs the step with another payload first, forgets that run, as a purge does, and runs the step under the same
// key. It may refuse, and leave all as it is. It may complete, if what it writes is then there. What it must not do is to
// complete and keep silent about the other payload that stands under its key.
func (tr *trial) playMismatch(v variation) {
	if _, err := tr.enqueue(v.input); err != nil {
		tr.problem("the step cannot be enqueued: %v", err)
		return
	}
	tr.work(polling)
	tr.wait()
	first := tr.look()
	between := tr.snapshot()
	if first.State != runtime.StateCompleted {
		c := tr.compare("before the step")
		if d := c.diff(tr.initial, between); d != "" {
			tr.problem("the step is %s, and yet it left something behind\n%s", describeEnd(first), d)
		}
	}
	tr.exec(`DELETE FROM "idem".steps WHERE run_id = $1 AND node = $2`, tr.run.ID, tr.run.Node)
	if !tr.enqueued() {
		return
	}
	tr.wait()
	tr.fire()
	tr.judgeMismatch(between)
}

func (tr *trial) judgeMismatch(between snapshot) {
	s := tr.look()
	after := tr.snapshot()
	delete(between, outputs)
	if s.State != runtime.StateCompleted {
		c := tr.compare("before it ran")
		if d := c.diff(between, after); d != "" {
			tr.problem("the step is %s, and yet it left something behind\n%s", describeEnd(s), d)
		}
		return
	}
	tr.judgeOtherRequests()
	then, now, free := tr.catalog.normalise(between, tr.volatile), tr.catalog.normalise(after, tr.volatile), tr.catalog.normalise(tr.free, tr.volatile)
	for _, t := range tr.written {
		if len(subtract(now[t.name], then[t.name])) > 0 {
			continue // it has written
		}
		c := tr.compare("")
		for _, r := range subtract(free[t.name], now[t.name]) {
			if c.standsThere(t.name, r, now[t.name]) {
				continue
			}
			tr.problem("the step completed without its row in table %s, because another payload stands under the key: a conflict must be refused, not passed over\n  - %s%s",
				t.name, c.show(t.name, r), c.others(t.name, now[t.name]))
		}
	}
}

// judgeOtherRequests: a receipt that a completed step got must be one for what it asked for.
func (tr *trial) judgeOtherRequests() {
	for _, c := range tr.calls {
		if asked := tr.ledger.Requests(c.Key); len(asked) > 0 && asked[0].Body != string(c.Request) {
			tr.problem("the step completed with the receipt for another request to %s under its key\n  %s\n  it asked for %s",
				describeCall(c), shorten(asked[0].Body), shorten(string(c.Request)))
		}
	}
}

// standsThere reports whether a row was written before by another run, with the same values.
func (c *comparison) standsThere(name string, r normalRow, rows []normalRow) bool {
	for _, o := range rows {
		if c.show(name, o) == c.show(name, r) {
			return true
		}
	}
	return false
}

// others lists the rows that are there instead.
func (c *comparison) others(name string, rows []normalRow) string {
	var b strings.Builder
	for i, r := range rows {
		if i == 3 {
			fmt.Fprintf(&b, "\n    and %d more", len(rows)-i)
			break
		}
		fmt.Fprintf(&b, "\n  there is %s", c.show(name, r))
	}
	return b.String()
}
