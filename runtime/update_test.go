package runtime

import (
	"errors"
	"testing"

	"github.com/idem-go/idem/runtime/idemimpl"
)

// prices is an effect with on_conflict=update(price): another run may change the price of an article.
var prices = idemimpl.Effect{
	Table: `"prices"`, Columns: []string{"article", "price", "note"}, Key: []int{0}, Business: true, Updates: true, Guard: "prices_payload_check",
	InsertSQL: `INSERT INTO "prices" AS t ("run_id", "node", "payload_digest", "article", "price", "note")
VALUES ($1::text, $2::text, $3::bytea, $4::text, $5::bigint, $6::text)
ON CONFLICT ("article") DO UPDATE SET
  "run_id" = EXCLUDED."run_id", "node" = EXCLUDED."node", "price" = EXCLUDED."price",
  "payload_digest" = CASE WHEN t."run_id" = EXCLUDED."run_id" AND t."node" = EXCLUDED."node" THEN '' ELSE EXCLUDED."payload_digest" END
WHERE (t."run_id", t."node", t."payload_digest") IS DISTINCT FROM (EXCLUDED."run_id", EXCLUDED."node", EXCLUDED."payload_digest")`,
	ReturningSQL: ` RETURNING "article", "price", "note", (xmax = 0) AS inserted`,
	SelectSQL:    `SELECT "article", "price", "note" FROM "prices" WHERE "article" = $1::text`,
}

const pricesTable = `CREATE TABLE prices (
    run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT prices_payload_check CHECK (octet_length(payload_digest) = 32),
    article text COLLATE "C" NOT NULL, price bigint NOT NULL, note text NOT NULL,
    CONSTRAINT prices_idem_key PRIMARY KEY (article))`

type price struct {
	Price int64
	Note  string
}

type priced struct {
	Stored   price
	Inserted bool
}

// Another run updates the named columns, the same run again changes nothing, and the same run with another
// payload is refused.
func TestUpdatingEffect(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(pricesTable)
	insert := NewStep[[]price, priced]("insert")
	RegisterStep(b.reg, insert, func(ctx Context, in []price) (out priced, err error) {
		for _, p := range in {
			out.Inserted, err = prices.Insert(ctx, []any{new(string), &out.Stored.Price, &out.Stored.Note}, "a", p.Price, p.Note)
			if err != nil {
				return out, err
			}
		}
		return out, nil
	})
	record := NewAction[[]price]("record")
	RegisterAction(b.reg, record, func(ctx Context, in []price) (err error) {
		for _, p := range in {
			err = errors.Join(err, prices.Record(ctx, "a", p.Price, p.Note))
		}
		return err
	})
	b.work(slow())
	for name, c := range []struct {
		in   []price
		want priced
	}{
		{[]price{{1, "first"}}, priced{price{1, "first"}, true}},
		{[]price{{2, "second"}}, priced{price{2, "first"}, false}}, // note is not among the columns that are updated
		{[]price{{3, "x"}, {3, "x"}}, priced{price{3, "first"}, false}},
	} {
		if out := must[priced](t)(insert.Output(t.Context(), b.client, must[Run](t)(insert.Enqueue(t.Context(), b.client, c.in)))); out != c.want {
			t.Errorf("%d: %+v, want %+v", name, out, c.want)
		}
	}
	b.is(b.wait(must[Run](t)(insert.Enqueue(t.Context(), b.client, []price{{4, "x"}, {5, "x"}}))), StateDiscarded, ReasonPayloadMismatch, 1, 0)
	b.is(b.wait(must[Run](t)(record.Enqueue(t.Context(), b.client, []price{{6, "x"}, {7, "x"}}))), StateDiscarded, ReasonPayloadMismatch, 1, 0)
	if n := b.count(`SELECT price FROM prices`); n != 3 {
		t.Errorf("the price is %d after two refused changes, want 3", n)
	}
	b.is(b.wait(must[Run](t)(record.Enqueue(t.Context(), b.client, []price{{8, "x"}}))), StateCompleted, "", 1, 0)
	if n := b.count(`SELECT price FROM prices`); n != 8 {
		t.Errorf("the price is %d, want 8", n)
	}
}
