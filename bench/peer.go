package main

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-go/idem/bench/ledger"
)

// What all peers and bare loops do: a row on a ledger that is keyed by run and node.

const peerLedger = `CREATE TABLE ledger (run_id uuid NOT NULL, node text NOT NULL, amount bigint NOT NULL, memo text,
    created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (run_id, node))`

const peerInsert = `INSERT INTO ledger (run_id, node, amount, memo) VALUES ($1::uuid, $2::text, $3::bigint, $4::text)
ON CONFLICT (run_id, node) DO NOTHING`

// peerCharge is a job's arguments.
type peerCharge struct {
	RunID  uuid.UUID `json:"run_id"`
	Node   string    `json:"node"`
	Amount int64     `json:"amount"`
}

const peerNode = "record"

func newPeerCharge() peerCharge { return peerCharge{RunID: uuid.New(), Node: peerNode, Amount: 100} }

type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func (c peerCharge) record(ctx context.Context, tx execer) error {
	_, err := tx.Exec(ctx, peerInsert, c.RunID, c.Node, c.Amount, ledger.Memo)
	return err
}

func (r *rig) expectLedger(ctx context.Context, steps int) error {
	return r.expect(ctx, steps, "effects", "SELECT count(*) FROM ledger")
}
