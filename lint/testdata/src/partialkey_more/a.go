package partialkey_more

import (
	"context"
	"fmt"
	"strconv"

	"github.com/dbos-inc/dbos-transact-golang/dbos"

	"github.com/idem-go/idem/runtime"
)

type Mailer interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

var mailer Mailer

func Helper(ctx runtime.Context, to string) error {
	return mailer.Send(ctx, run(ctx), to) // want `\[partialkey\]`
}

func run(ctx runtime.Context) string { return ctx.RunID() }

func Item(ctx runtime.Context, to string) error {
	return mailer.Send(ctx, ctx.RunID()+":"+to, to)
}

func DBOS(ctx dbos.DBOSContext, to string) (string, error) {
	id, err := dbos.GetWorkflowID(ctx)
	if err != nil {
		return "", err
	}
	step, err := dbos.GetStepID(ctx)
	if err != nil {
		return "", err
	}
	if err := mailer.Send(ctx, id+"/"+strconv.Itoa(step), to); err != nil {
		return "", err
	}
	if err := mailer.Send(ctx, fmt.Sprintf("step-%d", step), to); err != nil { // want `\[partialkey\]`
		return "", err
	}
	return "", mailer.Send(ctx, id, to) // want `\[partialkey\]`
}
