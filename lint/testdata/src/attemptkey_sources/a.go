package attemptkey_sources

import (
	"context"
	"fmt"

	"github.com/RichardKnop/machinery/v2/tasks"
	"github.com/aws/aws-lambda-go/events"
	sqs "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/vgarvardt/gue/v5"
	"go.temporal.io/sdk/workflow"
	cadence "go.uber.org/cadence/activity"
)

type Sender interface {
	Send(ctx context.Context, dedupeKey string) error
}

func OnSQS(ctx context.Context, s Sender, ev events.SQSEvent) error {
	for _, rec := range ev.Records {
		if err := s.Send(ctx, rec.MessageId+"/"+rec.Attributes["ApproximateReceiveCount"]); err != nil { // want `\[attemptkey\]`
			return err
		}
	}
	return nil
}

func OnMessage(ctx context.Context, s Sender, m sqs.Message) error {
	n, ok := m.Attributes["ApproximateReceiveCount"]
	if !ok {
		return nil
	}
	return s.Send(ctx, *m.MessageId+"/"+n) // want `\[attemptkey\]`
}

func OnGue(ctx context.Context, s Sender, j *gue.Job) error {
	return s.Send(ctx, fmt.Sprintf("%s#%d", j.ID, j.ErrorCount)) // want `\[attemptkey\]`
}

func OnMachinery(ctx context.Context, s Sender) error {
	sig := tasks.SignatureFromContext(ctx)
	return s.Send(ctx, fmt.Sprintf("%s#%d", sig.UUID, sig.RetryCount)) // want `\[attemptkey\]`
}

func OnCadence(ctx context.Context, s Sender) error {
	info := cadence.GetInfo(ctx)
	return s.Send(ctx, fmt.Sprintf("%s/%d", info.WorkflowExecution.ID, info.Attempt)) // want `\[attemptkey\]`
}

func key(info *workflow.Info) string {
	return fmt.Sprintf("%s/%d", info.WorkflowExecution.ID, info.Attempt)
}

func InWorkflow(ctx workflow.Context, s Sender) error {
	return s.Send(context.Background(), key(workflow.GetInfo(ctx))) // want `\[attemptkey\]`
}
