package freshkey_workflows

import (
	"context"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/google/uuid"
	"github.com/restatedev/sdk-go"
	"go.temporal.io/sdk/worker"
)

type Client interface {
	Send(ctx context.Context, idempotencyKey, to string) error
}

var c Client

func step(ctx context.Context) (string, error) { return "", nil }

func child(ctx dbos.DBOSContext, in string) (string, error) { return in, nil }

// A workflow is replayed: what it mints outside of a step is new each time.
func Workflow(ctx dbos.DBOSContext, in string) (string, error) {
	_, err := dbos.RunWorkflow(ctx, child, in, dbos.WithWorkflowID(uuid.NewString())) // want `\[freshkey\]`
	if err != nil {
		return "", err
	}
	id, err := dbos.RunAsStep(ctx, func(context.Context) (string, error) { return uuid.NewString(), nil })
	if err != nil {
		return "", err
	}
	_, err = dbos.RunAsStep(ctx, func(ctx context.Context) (string, error) {
		return "", c.Send(ctx, id, in)
	})
	return id, err
}

func Service(ctx restate.Context, to string) error {
	_, err := restate.Run(ctx, func(ctx restate.RunContext) (string, error) {
		return "", c.Send(ctx, uuid.NewString(), to) // want `\[freshkey\]`
	})
	if err != nil {
		return err
	}
	id := restate.UUID(ctx).String()
	_, err = restate.Run(ctx, func(ctx restate.RunContext) (string, error) { return "", c.Send(ctx, id, to) })
	return err
}

type Activities struct{}

func (Activities) Mail(ctx context.Context, to string) error {
	return c.Send(ctx, uuid.NewString(), to) // want `\[freshkey\]`
}

func Register(r worker.Registry) { r.RegisterActivity(&Activities{}) }
