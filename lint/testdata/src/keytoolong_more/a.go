package keytoolong_more

import (
	"context"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/riverqueue/river"
	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/charge"
)

type Args struct{ ID string }

func (Args) Kind() string { return "charge" }

type Worker struct{ river.WorkerDefaults[Args] }

const long = "0123456789012345678901234567890123456789012345678901234567890123"

func (w *Worker) Work(ctx context.Context, job *river.Job[Args]) error {
	p := &stripe.ChargeParams{}
	p.IdempotencyKey = stripe.String(long + long + long + long + job.Args.ID) // want `\[keytoolong\]`
	a, b := sha512.Sum512([]byte(job.Args.ID)), sha512.Sum512([]byte(long))
	p.SetIdempotencyKey(hex.EncodeToString(a[:]) + hex.EncodeToString(b[:])) // want `\[keytoolong\]`
	p.SetIdempotencyKey(fmt.Sprintf("%0250d/charge", job.ID))                // want `\[keytoolong\]`
	p.SetIdempotencyKey(hex.EncodeToString(a[:]))
	p.SetIdempotencyKey(long + long + long + job.Args.ID) // who knows how long the id is
	p.SetIdempotencyKey(strings.Repeat("x", len(job.Args.ID)))
	_, err := charge.New(p)
	return err
}
