package ok_attempt_lookalikes

import (
	"context"
	"fmt"
	"strconv"

	"github.com/riverqueue/river"
)

type Exam struct {
	Student string
	Attempt int
}

func (e Exam) Attempts() int { return e.Attempt }

type Client interface {
	Register(ctx context.Context, idempotencyKey string) error
}

type Args struct {
	Exam     Exam
	Attempts []Exam
}

func (Args) Kind() string { return "exam" }

type Worker struct {
	river.WorkerDefaults[Args]
	c Client
}

// The attempt of the exam is what the job is about.
func (w *Worker) Work(ctx context.Context, job *river.Job[Args]) error {
	for i, e := range job.Args.Attempts {
		if err := w.c.Register(ctx, fmt.Sprintf("exam/%s/%d/%d", e.Student, e.Attempt, i)); err != nil {
			return err
		}
	}
	key := "exam/" + job.Args.Exam.Student + "/" + strconv.Itoa(job.Args.Exam.Attempts())
	// A decision may depend on the attempt: it picks one of two keys, of which each is stable.
	if job.Attempt > 1 {
		key = "again/" + key
	}
	if len(job.AttemptedBy) == job.Attempt {
		fmt.Println("attempt", job.Attempt)
	}
	return w.c.Register(ctx, key)
}

// StepAttempt is a row for each attempt, as its name says.
type StepAttempt struct {
	IdempotencyKey string
	Attempt        int
}

func record(save func(StepAttempt) error, job *river.Job[Args]) error {
	return save(StepAttempt{IdempotencyKey: fmt.Sprintf("%d/%d", job.ID, job.Attempt), Attempt: job.Attempt})
}
