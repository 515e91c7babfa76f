package main

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/tools/go/packages"
)

// bareLoad loads the types of packages from export data, which is the least that a generator that knows types does.
func bareLoad(ctx context.Context, patterns []string) error {
	loaded, err := packages.Load(&packages.Config{Context: ctx, Mode: packages.NeedName | packages.NeedTypes}, patterns...)
	if err != nil {
		return err
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
		if p.Types == nil {
			return errors.New(p.PkgPath + " has no types")
		}
	}
	return nil
}
