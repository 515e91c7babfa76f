package runtime

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/internal/store"
)

const mailSchema = `CREATE TABLE mails (
    command_id text COLLATE "C" PRIMARY KEY, run_id text NOT NULL, node text NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT mails_payload_check CHECK (octet_length(payload_digest) = 32),
    kind text NOT NULL, n bigint NOT NULL, body bytea NOT NULL)`

var mails = idemimpl.Effect{
	Table: `"mails"`, Columns: []string{"command_id", "kind", "n", "body"}, Guard: "mails_payload_check",
	InsertSQL: `INSERT INTO "mails" AS t (run_id, node, payload_digest, command_id, kind, n, body)
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::text, $6::numeric::bigint, $7::bytea)
ON CONFLICT (command_id) DO UPDATE SET payload_digest = '' WHERE t.payload_digest <> EXCLUDED.payload_digest`,
}

// byKind: the kind tells the commands of one step apart.
var byKind = []int{1}

func (b *bench) commandIDs() []string {
	b.Helper()
	var ids []string
	if err := b.pool.QueryRow(context.Background(), `SELECT array_agg(command_id ORDER BY kind, n, body) FROM mails`).Scan(&ids); err != nil {
		b.Fatal(err)
	}
	return ids
}

func TestCommandIsWrittenOnceWithTheCompletion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(mailSchema)
	node := NewAction[charge]("mail")
	runs := 0
	RegisterAction(b.reg, node, func(ctx Context, in charge) error {
		if runs++; runs == 1 {
			return errors.Join(mails.KeepCommand(ctx, byKind, "mails", "lost", idemimpl.Uint64(uint64(1)), []byte("x")), errors.New("the first attempt fails"))
		}
		for _, kind := range []string{"a", "b", "a"} {
			if err := mails.KeepCommand(ctx, byKind, "mails", kind, idemimpl.Uint64(uint64(7)), []byte{0, 0xff}); err != nil {
				return err
			}
		}
		return nil
	})
	b.work(slow())
	run := b.charge(node)
	b.is(b.wait(run), StateCompleted, "", 2, 0)
	ids := b.commandIDs()
	if len(ids) != 2 || ids[0] == ids[1] || b.count(`SELECT count(*) FROM mails WHERE run_id = $1 AND node = 'mail' AND n = 7 AND body = '\x00ff'`, run.ID) != 2 {
		t.Errorf("commands %v", ids)
	}
}

func TestCommandWithAnotherPayloadFailsClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(mailSchema)
	node := NewAction[charge]("mail")
	RegisterAction(b.reg, node, func(ctx Context, in charge) error {
		_ = mails.KeepCommand(ctx, byKind, "", "a", 1, []byte("one"))
		_ = mails.KeepCommand(ctx, byKind, "", "a", 1, []byte("two")) // ignored by the handler, not by the runtime
		return nil
	})
	b.work(slow())
	b.is(b.wait(b.charge(node)), StateDiscarded, ReasonPayloadMismatch, 1, 0)
	if n := b.count(`SELECT count(*) FROM mails`); n != 0 {
		t.Errorf("%d commands were written", n)
	}
}

// The id follows from table, key and item alone; no two lists of them run together.
func TestWriteCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(mailSchema)
	ctx := context.Background()
	write := func(key, kind, body string) error {
		return mails.WriteCommand(ctx, b.pool, key, byKind, kind, 1, []byte(body))
	}
	for _, c := range [][2]string{{"k", "a"}, {"ka", ""}, {"", "ka"}, {"k", "a "}, {"K", "a"}} {
		if err := errors.Join(write(c[0], c[1], "x"), write(c[0], c[1], "x")); err != nil {
			t.Fatal(err)
		}
	}
	ids := b.commandIDs()
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 5 {
		t.Errorf("ids %v", ids)
	}
	var mismatch *MismatchError
	if err := write("k", "a", "y"); !errors.As(err, &mismatch) || mismatch.RunID != "k" || mismatch.Table != `"mails"` {
		t.Errorf("another payload: %v", err)
	}
	if err := mails.WriteCommand(ctx, b.pool, "k", byKind, "a"); err == nil {
		t.Error("a command without all of its values was written")
	}
	var none context.Context
	if err := mails.KeepCommand(none, byKind, "", "a", 1, []byte("x")); !errors.Is(err, ErrNotInHandler) {
		t.Errorf("outside of a handler: %v", err)
	}
}

func TestChannelOfASchema(t *testing.T) {
	if store.Channel("") != store.Channel(DefaultSchema) || store.Channel("a") == store.Channel("b") {
		t.Error(store.Channel(""), store.Channel("a"))
	}
}

func TestCommandWakesItsRelay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(mailSchema)
	node := NewAction[charge]("mail")
	RegisterAction(b.reg, node, func(ctx Context, in charge) error {
		return mails.KeepCommand(ctx, nil, "mails are there", "a", 1, []byte("x"))
	})
	conn, err := b.pool.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(context.Background(), "LISTEN "+store.Channel("")); err != nil {
		t.Fatal(err)
	}
	b.work(slow())
	b.charge(node)
	for {
		n, err := conn.Conn().WaitForNotification(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if n.Payload == "mails are there" {
			break
		}
	}
	if n := b.count(`SELECT count(*) FROM mails`); n != 1 {
		t.Error("the notification came before the commit")
	}
}
