package gen

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// inParallel calls do with each of the items, on all processors. Of several errors it returns that of the first item,
// whichever came first.
func inParallel[T any](items []T, do func(item T) error) error {
	errs := make([]error, len(items))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, item := range items {
		group.Go(func() error {
			errs[i] = do(item)
			return nil
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
