package sign_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
	"github.com/idem-go/idem/runtime/provider"
)

// configured makes what a configuration is of, and returns what it says.
type configured struct {
	empty any // the configuration's type
	make  func(t *testing.T, cfg any) error
}

var configurations = map[string]configured{
	"worker": {runtime.Config{}, func(t *testing.T, cfg any) error {
		r := runtime.NewRegistry()
		runtime.RegisterAction(r, runtime.NewAction[int]("x"), func(runtime.Context, int) error { return nil })
		_, err := runtime.NewWorker(lazyPool(t), r, cfg.(runtime.Config))
		return err
	}},
	"relay": {outbox.Config{}, func(t *testing.T, cfg any) error {
		table := &outbox.Table{Effect: idemimpl.Effect{Table: `"t"`, Columns: []string{"command_id"}, InsertSQL: "x"}, ClaimSQL: "x"}
		sender := outbox.SenderFunc(func(context.Context, outbox.Command) outbox.Outcome { return outbox.Outcome{} })
		_, err := outbox.NewRelay(lazyPool(t), table, sender, cfg.(outbox.Config))
		return err
	}},
	"inbox": {outbox.InboxConfig{}, func(t *testing.T, cfg any) error {
		_, err := outbox.NewInbox(lazyPool(t), "consumer", cfg.(outbox.InboxConfig))
		return err
	}},
	"purger": {provider.Retention{}, func(_ *testing.T, cfg any) error {
		_, err := provider.NewPurger(nil, cfg.(provider.Retention))
		return err
	}},
	"sender": {httpsender.Config{}, func(_ *testing.T, cfg any) error {
		_, err := httpsender.New(cfg.(httpsender.Config))
		return err
	}},
}

// lazyPool is never connected.
func lazyPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), "postgres://nowhere.invalid/x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// numbers are the places of a configuration's numbers and times, those of the structs in it too.
func numbers(t reflect.Type, at []int) (places [][]int) {
	for i := range t.NumField() {
		f, place := t.Field(i), append(append([]int(nil), at...), i)
		switch f.Type.Kind() {
		case reflect.Int, reflect.Int64:
			places = append(places, place)
		case reflect.Struct:
			places = append(places, numbers(f.Type, place)...)
		}
	}
	return places
}

// Every number of every configuration refuses to be negative, by its name. Where several are, the same one is told each time.
func TestConfigurationsRefuseNegativeNumbers(t *testing.T) {
	t.Parallel()
	for name, c := range configurations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			typ := reflect.TypeOf(c.empty)
			places := numbers(typ, nil)
			if len(places) == 0 {
				t.Fatal("it has no numbers")
			}
			all := reflect.New(typ).Elem()
			for _, place := range places {
				one := reflect.New(typ).Elem()
				one.FieldByIndex(place).SetInt(-1)
				all.FieldByIndex(place).SetInt(-1)
				field := typ.FieldByIndex(place).Name
				if err := c.make(t, one.Interface()); err == nil || !strings.Contains(err.Error(), field) {
					t.Errorf("%s -1: %v, want a refusal that names it", field, err)
				}
			}
			first := c.make(t, all.Interface())
			for range 50 {
				if err := c.make(t, all.Interface()); err == nil || err.Error() != first.Error() {
					t.Fatalf("once it says %v, and once %v", first, err)
				}
			}
		})
	}
}

// Whoever refuses a retention does so with the one error.
func TestOneErrorOfRetention(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of  string
		cfg any
	}{
		"worker": {"worker", runtime.Config{Retention: runtime.Retention{Completed: 1, ReplayWindow: 2}}},
		"relay":  {"relay", outbox.Config{Retention: outbox.Retention{Keep: 1, ReplayWindow: 2}}},
		"inbox":  {"inbox", outbox.InboxConfig{Retention: outbox.Retention{Keep: 1}}},
		"purger": {"purger", provider.Retention{Keep: 1, ReplayWindow: 2}},
	} {
		err := configurations[c.of].make(t, c.cfg)
		for _, target := range []error{runtime.ErrRetention, outbox.ErrRetention, provider.ErrRetention} {
			if !errors.Is(err, target) {
				t.Errorf("%s: %v is not %v", name, err, target)
			}
		}
	}
}
