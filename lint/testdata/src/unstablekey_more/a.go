package unstablekey_more

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idem-go/idem/runtime"
)

type API interface {
	Tag(ctx context.Context, idempotencyKey string) error
}

var api API

func Appended(ctx runtime.Context, labels map[string]string) error {
	var parts []string
	for k, v := range labels {
		parts = append(parts, k+"="+v)
	}
	return api.Tag(ctx, ctx.RunID()+"/"+strings.Join(parts, ";")) // want `\[unstablekey\]`
}

func Built(ctx runtime.Context, labels map[string]string) error {
	var b strings.Builder
	for k := range labels {
		fmt.Fprintf(&b, "%s;", k)
	}
	return api.Tag(ctx, b.String()) // want `\[unstablekey\]`
}

func Collected(ctx runtime.Context, labels map[string]string) error {
	keys := slices.Collect(maps.Keys(labels))
	return api.Tag(ctx, strings.Join(keys, ";")) // want `\[unstablekey\]`
}

func Iterated(ctx runtime.Context, labels map[string]string) error {
	raw := ""
	for k := range maps.Keys(labels) {
		raw += k + ";"
	}
	return api.Tag(ctx, raw) // want `\[unstablekey\]`
}

func Address(ctx runtime.Context, labels *map[string]string, n *int) error {
	if err := api.Tag(ctx, fmt.Sprintf("%s/%p", ctx.RunID(), labels)); err != nil { // want `\[unstablekey\]`
		return err
	}
	return api.Tag(ctx, fmt.Sprintf("%s/%v", ctx.RunID(), n)) // want `\[unstablekey\]`
}

func flat(labels map[string]string) string {
	s := ""
	for k, v := range labels {
		s = fmt.Sprintf("%s%s=%s;", s, k, v)
	}
	return s
}

func Helper(ctx runtime.Context, labels map[string]string) error {
	return api.Tag(ctx, flat(labels)) // want `\[unstablekey\]`
}
