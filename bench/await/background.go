package await

import (
	"context"
	"errors"
)

// Background runs work until stop is called. Should it end before, the context that it gives ends too.
func Background(ctx context.Context, work func(context.Context) error) (_ context.Context, stop func() error) {
	measured, fail := context.WithCancelCause(ctx)
	working, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := work(working)
		fail(errors.Join(errors.New("the worker has ended"), err))
		ended <- err
	}()
	return measured, func() error {
		cancel()
		return <-ended
	}
}
