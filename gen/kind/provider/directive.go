package provider

import "github.com/idem-go/idem/gen/directive"

var spec = &directive.Spec{
	Name: "provider", On: directive.Targets{directive.Func}, Form: "func(ctx context.Context, key string, req Req) (Receipt, error)",
	Doc:  "A call to another system, sent with a stable key: once per run and node as far as that system lets it be known.",
	Node: providerName,
	Params: []directive.Param{
		{Name: "window", Kind: directive.Duration, Default: "none, and what may have been done is sent again only when lookup= has shown that it was not", Doc: "How long the other system honours a key: a second request under it has no second effect."},
		{Name: "lookup", Kind: directive.Companion, Default: "none", Doc: "Finds a call by its key: func(ctx context.Context, key string) (Receipt, bool, error)."},
		{Name: "undo", Kind: directive.Companion, Default: "none", Doc: "Takes a call back: func(ctx context.Context, key string, receipt Receipt) error."},
	},
}

var providerName = &directive.Param{
	Name: "NAME", Kind: directive.Node,
	Doc: "Durable name of the provider: a part of every key, so it outlives renames of the Go function.",
}
