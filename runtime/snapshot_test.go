package runtime

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/idem-go/idem/runtime/idemimpl"
	"github.com/idem-go/idem/runtime/internal/value"
)

var blobs = idemimpl.Effect{
	Table: `"blobs"`, Columns: []string{"body", "tags"}, Guard: "blobs_payload_check",
	InsertSQL: `INSERT INTO "blobs" AS t ("run_id", "node", "payload_digest", "body", "tags")
VALUES ($1::text, $2::text, $3::bytea, $4::bytea, $5::text[])
ON CONFLICT ("run_id", "node") DO UPDATE SET "payload_digest" = '' WHERE t."payload_digest" <> EXCLUDED."payload_digest"`,
}

const blobsTable = `CREATE TABLE blobs (run_id text COLLATE "C" NOT NULL, node text COLLATE "C" NOT NULL,
    payload_digest bytea NOT NULL CONSTRAINT blobs_payload_check CHECK (octet_length(payload_digest) = 32), body bytea, tags text[],
    CONSTRAINT blobs_idem_key PRIMARY KEY (run_id, node))`

// Handlers that use their buffers and slices again, as a pool of them does, write what they had in them when they recorded it,
// and the digest is of that. What they record is written later, together with that of others.
func TestBuffersCanBeUsedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(blobsTable)
	type scratch struct {
		buf  bytes.Buffer
		tags []string
	}
	pool := sync.Pool{New: func() any { return &scratch{tags: make([]string, 1)} }}
	action := NewAction[charge]("blob")
	RegisterAction(b.reg, action, func(ctx Context, in charge) error {
		s := pool.Get().(*scratch)
		defer pool.Put(s)
		s.buf.Reset()
		fmt.Fprintf(&s.buf, "secret of %s", in.User)
		s.tags[0] = in.User
		return blobs.Record(ctx, s.buf.Bytes(), s.tags)
	})
	ins := make([]charge, 400)
	for i := range ins {
		ins[i] = charge{fmt.Sprintf("customer-%03d", i), 1}
	}
	runs := must[[]Run](t)(action.EnqueueMany(t.Context(), b.client, ins, nil))
	b.work(slow())
	for i, run := range runs {
		b.is(b.wait(run), StateCompleted, "", 1, 0)
		var body, digest []byte
		var tags []string
		if err := b.pool.QueryRow(t.Context(), `SELECT body, tags, payload_digest FROM blobs WHERE run_id = $1`, run.ID).Scan(&body, &tags, &digest); err != nil {
			t.Fatal(err)
		}
		if want := "secret of " + ins[i].User; string(body) != want || len(tags) != 1 || tags[0] != ins[i].User {
			t.Errorf("the row of %s holds %q and %q", ins[i].User, body, tags)
		}
		if !bytes.Equal(digest, must[[]byte](t)(value.Digest(blobs.Columns, []any{body, tags}))) {
			t.Errorf("the digest of %s is of something else", ins[i].User)
		}
	}
}
