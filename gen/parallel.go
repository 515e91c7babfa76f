package gen

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// inParallel calls do with each number below n, on all processors. Of several errors it gives that of the lowest
// number, whichever came first.
func inParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			errs[i] = do(i)
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
