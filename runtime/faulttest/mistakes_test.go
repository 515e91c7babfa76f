package faulttest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

// handle is a handler of orders.
type handle = func(ctx runtime.Context, in order) error

const (
	insertCharge  = `INSERT INTO charges (key, order_id, amount_cents) VALUES ($1, $2, $3)`
	insertJournal = `INSERT INTO journal (order_id, amount_cents) VALUES ($1, $2)`
	once          = ` ON CONFLICT DO NOTHING`
)

func charge(ctx context.Context, pool *pgxpool.Pool, sql, key string, in order) error {
	_, err := pool.Exec(ctx, sql, key, in.OrderID, in.Cents)
	return err
}

// finding is a text among the problems under a fault. The fault "" is none.
type finding struct{ fault, text string }

// mistake is a handler with one, and where it must show.
type mistake struct {
	name  string
	with  func(f *F) handle
	finds []finding
}

// What several mistakes show.
const (
	seen       = "others saw what it wrote: it was not written in the completion transaction"
	leftBehind = "the step did not complete, and yet it left something behind"
	lost       = "1 row fewer than without the fault"
)

func mistakes() []mistake {
	return []mistake{
		{
			name: "write through the pool",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					_, err := f.Pool.Exec(ctx, insertJournal, in.OrderID, in.Cents)
					return err
				}
			},
			finds: []finding{
				{"killed after the write, before the commit", "table journal: 1 row more than without the fault\n  + {order_id: \"o-1\", amount_cents: 100}   (the same row again: a second effect)"},
				{"an error after the write", seen},
			},
		}, {
			name: "keyed write through the pool",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					return charge(ctx, f.Pool, insertCharge+once, ctx.RunID(), in)
				}
			},
			finds: []finding{
				{"killed after the write, before the commit", "table charges: 1 row more than before the step"},
				{"an error at every attempt", leftBehind + "\ntable charges: 1 row more than before the step\n  + {key: "},
				{"cancelled after the write", leftBehind},
			},
		}, {
			name: "the attempt in the key",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					return charge(ctx, f.Pool, insertCharge+once, fmt.Sprint(in.OrderID, "/", ctx.Attempt()), in)
				}
			},
			finds: []finding{{"an error after the write", "table charges: 1 row more than without the fault\n  + {key: \"o-1/2\""}},
		}, {
			name: "a key made up for each execution",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					return charge(ctx, f.Pool, insertCharge+once, rand.Text(), in)
				}
			},
			finds: []finding{{"the lease runs out after the write", "{order_id: \"o-1\", amount_cents: 100}   (the same row again under another key: a second effect)"}},
		}, {
			name: "without ON CONFLICT",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					return charge(ctx, f.Pool, insertCharge, in.OrderID, in)
				}
			},
			finds: []finding{{"killed after the write, before the commit", "the step is discarded (attempts_exhausted), and must be completed\n  its last error: ERROR: duplicate key"}},
		}, {
			name: "count outside of the transaction",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					_, err := f.Pool.Exec(ctx, `INSERT INTO counters AS c VALUES ('seed', 1) ON CONFLICT (name) DO UPDATE SET count = c.count + 1`)
					return err
				}
			},
			finds: []finding{{"a panic after the write", "table counters: other values than without the fault\n  ~ {name: \"seed\"}: count is 9, without the fault it is 8"}},
		}, {
			name: "a swallowed error of the transaction",
			with: func(*F) handle {
				return func(ctx runtime.Context, in order) error {
					_, _ = ctx.CompletionTx().Exec(ctx, insertJournal, in.OrderID, in.Cents)
					return nil
				}
			},
			finds: []finding{{"an error at a write to journal", "the handler returned nil although a statement had failed"}},
		}, {
			name: "a swallowed error of the pool",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					_, _ = f.Pool.Exec(ctx, insertJournal, in.OrderID, in.Cents)
					return payments.Record(ctx, in.OrderID, in.Cents)
				}
			},
			finds: []finding{{"an error at a write to journal", "table journal: 1 row fewer than without the fault"}},
		}, {
			name: "COMMIT by hand",
			with: func(*F) handle {
				return func(ctx runtime.Context, in order) error {
					if _, err := ctx.CompletionTx().Exec(ctx, insertJournal, in.OrderID, in.Cents); err != nil {
						return err
					}
					_, err := ctx.CompletionTx().Exec(ctx, `COMMIT`)
					return err
				}
			},
			finds: []finding{{"", "the completion transaction is begun and ended by the runtime; remove BEGIN, COMMIT and ROLLBACK"}},
		}, {
			name: "a goroutine that writes through the context after the return",
			with: func(*F) handle {
				return func(ctx runtime.Context, in order) error {
					latecomers.add(func() { _ = payments.Record(ctx, in.OrderID, in.Cents) })
					return nil
				}
			},
			finds: []finding{{"", "used its context after it had returned"}},
		}, {
			name: "a goroutine that writes through the pool after the return",
			with: func(f *F) handle {
				return func(_ runtime.Context, in order) error {
					latecomers.add(func() { _, _ = f.Pool.Exec(context.Background(), insertJournal, in.OrderID, in.Cents) })
					return nil
				}
			},
			finds: []finding{{"", "something was written after the step had completed"}},
		}, {
			name: "two effects under one key",
			with: func(*F) handle {
				return func(ctx runtime.Context, in order) error {
					return errors.Join(payments.Record(ctx, in.OrderID, in.Cents), payments.Record(ctx, in.OrderID+"/fee", in.Cents))
				}
			},
			finds: []finding{{"", "discarded (payload_mismatch)"}},
		}, {
			name: "a conflict passed over, keyed by the run",
			with: func(*F) handle {
				return skippingConflicts(`charges (key, order_id, amount_cents) VALUES ($1, $2, $3)`, true)
			},
			finds: []finding{
				{"the key of an earlier payload, with another Cents", "completed without its row in table charges, because another payload stands under the key"},
				{"the key of an earlier payload, with another OrderID", "there is {key: "},
			},
		}, {
			name: "a conflict passed over, keyed by the order",
			with: func(*F) handle {
				return skippingConflicts(`charges (key, order_id, amount_cents) VALUES ($1, $2, $3)`, false)
			},
			finds: []finding{{"the key of an earlier payload, with another Cents",
				"completed without its row in table charges, because another payload stands under the key: a conflict must be refused, not passed over\n  - {key: \"o-1\", order_id: \"o-1\", amount_cents: 100}\n  there is {key: \"o-1\", order_id: \"o-1\", amount_cents: 101}"}},
		}, {
			name: "state in memory",
			with: func(*F) handle {
				return func(ctx runtime.Context, in order) error {
					if _, done := handled.LoadOrStore(in.OrderID, true); done {
						return nil
					}
					return payments.Record(ctx, in.OrderID, in.Cents)
				}
			},
			finds: []finding{{"", "does the handler keep state in memory or in files?\ntable payments: 1 row fewer than in a first run"}},
		}, {
			name: "state in memory, per database",
			with: func(*F) handle {
				var done bool
				return func(ctx runtime.Context, in order) error {
					if done {
						return nil
					}
					done = true
					return payments.Record(ctx, in.OrderID, in.Cents)
				}
			},
			finds: []finding{{"an error after the write", "table payments: 1 row fewer than without the fault\n  - {order_id: \"o-1\", amount_cents: 100}"}},
		}, {
			name: "state in a file",
			with: func(f *F) handle {
				path := filepath.Join(f.TempDir(), "done")
				return func(ctx runtime.Context, in order) error {
					if _, err := os.Stat(path); err == nil {
						return nil
					}
					if err := os.WriteFile(path, nil, 0o600); err != nil {
						return err
					}
					return payments.Record(ctx, in.OrderID, in.Cents)
				}
			},
			finds: []finding{{"the lease runs out after the write", lost}},
		}, {
			name: "a follow-up through the client",
			with: func(f *F) handle {
				client := runtime.NewClient(f.Pool, runtime.WithoutNotify())
				return func(ctx runtime.Context, in order) error {
					_, err := mail.Enqueue(ctx, client, in)
					return err
				}
			},
			finds: []finding{
				{"killed after the write, before the commit", "enqueued steps: 1 row more than without the fault\n  + {node: \"mail\", state: \"open\", input.OrderID: \"o-1\", input.Cents: 100}   (the same row again under another key: a second effect)"},
				{"an error at every attempt", "enqueued steps: 3 rows more than before the step"},
			},
		}, {
			name: "a loop that does not look at its context",
			with: func(f *F) handle {
				var loops sync.WaitGroup
				f.Cleanup(loops.Wait)
				return func(ctx runtime.Context, in order) error {
					loops.Add(1)
					defer loops.Done()
					for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
						if _, err := ctx.CompletionTx().Exec(ctx, insertJournal, in.OrderID, in.Cents); err == nil {
							return nil
						}
					}
					return errors.New("the test is over")
				}
			},
			finds: []finding{{"timeout, and the handler writes long after it", "it does not look at its context"}, {"reply lost: 4", "does not look at its context"}},
		}, {
			name: "a sleep longer than the timeout",
			with: func(*F) handle {
				return func(ctx runtime.Context, in order) error {
					time.Sleep(1500 * time.Millisecond)
					return payments.Record(ctx, in.OrderID, in.Cents)
				}
			},
			finds: []finding{{"", "attempt timed out"}, {"", "the handler does not look at its context"}},
		}, {
			name: "reads its own earlier write",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					tag, err := f.Pool.Exec(ctx, insertCharge+once, in.OrderID, in.OrderID, in.Cents)
					if err != nil || tag.RowsAffected() == 0 {
						return err // done before
					}
					return payments.Record(ctx, in.OrderID, in.Cents)
				}
			},
			finds: []finding{{"killed after the write, before the commit", "table payments: 1 row fewer than without the fault"}},
		},
	}
}

// mistakesOutside are made with what leaves the database. A request that a handler sends by itself, past its providers,
// cannot be seen.
func mistakesOutside() []mistake {
	pay := ways["window"]
	const lostAnswer = "pay is done, and its answer is lost"
	calling := func(call func(ctx runtime.Context, in order) error) func(*F) handle {
		return func(*F) handle { return call }
	}
	return []mistake{
		{
			name: "the attempt in the item of a call",
			with: calling(func(ctx runtime.Context, in order) error {
				_, err := pay.Call(ctx, in, provider.Item(fmt.Sprint(in.OrderID, "/", ctx.Attempt())))
				return err
			}),
			finds: []finding{
				{"an error after the write", "pay was called under another key than without the fault: a second effect"},
				{"an error at every attempt", "its item is \"o-1/2\""},
			},
		}, {
			name: "an item made up for each execution",
			with: calling(func(ctx runtime.Context, in order) error {
				_, err := pay.Call(ctx, in, provider.Item(rand.Text()))
				return err
			}),
			finds: []finding{{"", "two runs without any fault call pay under different keys: an item must be the same at every execution"}},
		}, {
			name: "the time in a request",
			with: calling(func(ctx runtime.Context, in order) error {
				_, err := pay.Call(ctx, order{in.OrderID, time.Now().UnixNano()})
				return err
			}),
			finds: []finding{{"", "ask pay for different things under one key; a second execution would be refused"}},
		}, {
			name: "the attempt in a request",
			with: calling(func(ctx runtime.Context, in order) error {
				_, err := pay.Call(ctx, order{in.OrderID, int64(ctx.Attempt())})
				return err
			}),
			finds: []finding{{"an error after the write", "the step is discarded (payload_mismatch), and must be completed"}},
		}, {
			name: "goes on though an outcome is not known",
			with: calling(func(ctx runtime.Context, in order) error {
				_, _ = pay.Call(ctx, in)
				return payments.Record(ctx, in.OrderID, in.Cents)
			}),
			finds: []finding{{lostAnswer, "the step completed although it is not known what has become of its call of pay: it is unknown"}},
		}, {
			name: "takes an unknown outcome for a failure",
			with: calling(func(ctx runtime.Context, in order) error {
				if _, err := pay.Call(ctx, in); err != nil {
					return errors.New(err.Error())
				}
				return nil
			}),
			finds: []finding{
				{lostAnswer, "the step ended with attempt 2, and must with 1"},
				{"pay rejects", "no retry can mend a rejection; return the error that the call gives, or go on without it"},
			},
		}, {
			name: "takes a call back, and forgets that it may have before",
			with: calling(func(ctx runtime.Context, in order) error {
				if _, err := pay.Call(ctx, in); err != nil {
					return err
				}
				return pay.Undo(ctx)
			}),
			finds: []finding{{"an error after the write", "the provider call has been compensated"}},
		}, {
			name: "calls a provider or not, by what is in memory",
			with: func(*F) handle {
				var called bool
				return func(ctx runtime.Context, in order) error {
					if called {
						return nil
					}
					called = true
					_, err := pay.Call(ctx, in)
					return err
				}
			},
			finds: []finding{{lostAnswer, "the step completed although it is not known what has become of its call of pay"}},
		}, {
			name: "a command through the pool",
			with: func(f *F) handle {
				return func(ctx runtime.Context, in order) error {
					return webhooks.QueueTx(ctx, f.Pool, ctx.RunID(), "https://customer.invalid", "paid", []byte(in.OrderID))
				}
			},
			finds: []finding{
				{"an error after the write", seen + ", and stays if the step never completes"},
				{"an error at every attempt", leftBehind + "\ntable webhooks: 1 row more than before the step"},
			},
		}, {
			name: "the attempt in the item of a command",
			with: calling(func(ctx runtime.Context, in order) error {
				return queueWebhook(ctx, webhook{"https://customer.invalid", fmt.Sprint("paid ", ctx.Attempt()), []byte(in.OrderID)})
			}),
			finds: []finding{{"an error after the write", "+ {command_id: "}},
		}, {
			name: "an item made up for each command",
			with: calling(func(ctx runtime.Context, in order) error {
				return queueWebhook(ctx, webhook{"https://customer.invalid", rand.Text(), []byte(in.OrderID)})
			}),
			finds: []finding{{"", "two runs without any fault queue commands of webhooks under different ids"}},
		}, {
			name: "two commands under one id",
			with: calling(func(ctx runtime.Context, in order) error {
				return errors.Join(queueWebhook(ctx, webhook{"https://customer.invalid", "paid", []byte(in.OrderID)}),
					queueWebhook(ctx, webhook{"https://customer.invalid", "paid", []byte("fee")}))
			}),
			finds: []finding{{"", "discarded (payload_mismatch)"}},
		},
	}
}

var (
	handled sync.Map
	mail    = runtime.NewAction[order]("mail")
)

func skippingConflicts(into string, byRun bool) handle {
	return func(ctx runtime.Context, in order) error {
		key := in.OrderID
		if byRun {
			key = ctx.RunID()
		}
		_, err := ctx.CompletionTx().Exec(ctx, `INSERT INTO `+into+once, key, in.OrderID, in.Cents)
		return err
	}
}

// TestMistakes plants one mistake after the other.
func TestMistakes(t *testing.T) {
	for _, m := range append(mistakes(), mistakesOutside()...) {
		t.Run(m.name, func(t *testing.T) {
			a := runtime.NewAction[order]("handle", runtime.WithTimeout(time.Second))
			faults := []string{"not at all"}
			for _, want := range m.finds {
				faults = append(faults, want.fault)
			}
			e := examine(t, actionSubject(t, a, Handler[order]{
				Migrations: folder,
				Fixture:    func(f *F) (func(runtime.Context, order) error, order) { return m.with(f), sample },
			}), faults...)
			for _, want := range m.finds {
				if want.fault != "" {
					e.finds(want.fault, want.text)
					continue
				}
				if all := strings.Join(append(e.free, e.end...), "\n"); !strings.Contains(all, want.text) {
					t.Errorf("without a fault, %q was not found, but:\n%s", want.text, all)
				}
			}
		})
	}
}
