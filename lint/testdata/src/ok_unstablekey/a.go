package ok_unstablekey

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/idem-go/idem/runtime"
)

type API interface {
	Tag(ctx context.Context, idempotencyKey string) error
}

var api API

func Sorted(ctx runtime.Context, labels map[string]int) error {
	var parts []string
	total, largest := 0, ""
	for k, v := range labels {
		parts = append(parts, k)
		total += v
		if k > largest {
			largest = k
		}
	}
	sort.Slice(parts, func(i, j int) bool { return parts[i] < parts[j] })
	if err := api.Tag(ctx, strings.Join(parts, ";")); err != nil {
		return err
	}
	if err := api.Tag(ctx, fmt.Sprintf("%s/%d/%s", ctx.RunID(), total, largest)); err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if err := api.Tag(ctx, ctx.RunID()+"/"+k); err != nil {
			return err
		}
	}
	if err := api.Tag(ctx, fmt.Sprint(labels)); err != nil { // fmt sorts the keys
		return err
	}
	// One key for each entry does not depend on the order.
	for k, v := range labels {
		key := fmt.Sprintf("%s/%s=%d", ctx.RunID(), k, v)
		if err := api.Tag(ctx, key); err != nil {
			return err
		}
	}
	set := map[string]bool{}
	for k := range labels {
		set[k] = true
	}
	return api.Tag(ctx, fmt.Sprint(ctx.RunID(), "/", set))
}

type order struct{ id string }

func Struct(ctx runtime.Context, o *order) error {
	return api.Tag(ctx, fmt.Sprintf("%s/%v", ctx.RunID(), o)) // printed with its fields
}
