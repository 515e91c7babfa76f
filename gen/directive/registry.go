package directive

// Target is a kind of declaration that a directive may stand on.
type Target string

// The targets.
const (
	Func   Target = "function or method"
	Struct Target = "struct"
)

// Spec describes one directive.
type Spec struct {
	Name   string  // what follows //idem:
	On     Target  // where it may stand
	Form   string  // the form of the declaration, as the help shows it
	Doc    string  // one line
	Node   *Param  // the positional NAME; nil for a directive without one
	Params []Param // the key=value arguments, in the order that the help and Format give them
	Later  bool    // the name is reserved; this version does not support it
}

// Param describes one argument of a directive.
type Param struct {
	Name    string
	Kind    *Kind
	Default string // what holds without it, in words
	Doc     string // one line
	Later   bool   // the name is reserved; this version does not support it
}

// All gives every directive, in the order of the help.
func All() []*Spec { return registry }

// Lookup finds a directive by its name, or gives nil.
func Lookup(name string) *Spec {
	for _, s := range registry {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Param finds an argument by its name, or gives nil.
func (s *Spec) Param(name string) *Param {
	for i := range s.Params {
		if s.Params[i].Name == name {
			return &s.Params[i]
		}
	}
	return nil
}

var registry = []*Spec{
	{
		Name: "action", On: Func, Form: "func(runtime.Context, In) error",
		Doc:    "A handler without an output. Clients enqueue it, workers run it.",
		Node:   nodeName,
		Params: limits(),
	},
	{
		Name: "step", On: Func, Form: "func(runtime.Context, In) (Out, error)",
		Doc:  "A handler with an output, which is stored when the step completes.",
		Node: nodeName,
		Params: limits(Param{
			Name: "max_output", Kind: Size, Default: "the worker's limit",
			Doc: "Largest output; a larger one discards the step and rolls its writes back.",
		}),
	},
	{
		Name: "effect", On: Struct, Form: "struct",
		Doc: "One row that a step writes once, in the transaction that completes it.",
		Params: []Param{
			{Name: "table", Kind: TableName, Default: "the struct's name in snake case", Doc: "Table of the rows: name, or schema.name."},
			{Name: "key", Kind: Fields, Default: "run and node", Doc: "Fields (Go names or column names) of a business key that replaces run and node."},
			{Name: "item", Kind: Field, Default: "one row per run and node", Doc: "Field that tells several rows of one step apart; the key is then run, node and this field."},
			{Name: "on_conflict", Kind: Conflict, Default: "nothing", Doc: "What a second write under the key does: nothing, or update(fields) for another run under a business key."},
			{Name: "existing", Kind: Flag, Default: "idem makes the table", Doc: "Adopt a table that exists already.", Later: true},
		},
	},
	{
		Name: "outbox", On: Struct, Form: "struct",
		Doc: "One command to another system, written in the transaction that completes the step and sent by a relay afterwards.",
		Params: []Param{
			{Name: "table", Kind: TableName, Default: "the struct's name in snake case with _outbox behind it", Doc: "Table of the commands: name, or schema.name."},
			{Name: "to", Kind: Field, Default: "all go to one destination", Doc: "String field with the destination. Each has a limit and a breaker of its own."},
			{Name: "order_by", Kind: Field, Default: "no order", Doc: "String field: commands with the same value of it are sent in the order in which they were queued."},
			{Name: "item", Kind: Field, Default: "one command per run and node", Doc: "Field that tells several commands of one step apart."},
			{Name: "body", Kind: Field, Default: "the only []byte or json.RawMessage field, else the row as JSON", Doc: "Field that is sent, to the byte: []byte, json.RawMessage or string."},
		},
	},
	{
		Name: "provider", On: Func, Form: "func(ctx context.Context, key string, req Req) (Receipt, error)",
		Doc:  "A call to another system, sent with a stable key: once per run and node as far as that system lets it be known.",
		Node: providerName,
		Params: []Param{
			{Name: "window", Kind: Duration, Default: "none, and what may have been done is sent again only when lookup= has shown that it was not", Doc: "How long the other system honours a key: a second request under it has no second effect."},
			{Name: "lookup", Kind: Companion, Default: "none", Doc: "Finds a call by its key: func(ctx context.Context, key string) (Receipt, bool, error)."},
			{Name: "undo", Kind: Companion, Default: "none", Doc: "Takes a call back: func(ctx context.Context, key string, receipt Receipt) error."},
		},
	},
	{Name: "flow", On: Struct, Form: "var block or package comment", Doc: "Typed wiring of steps.", Later: true},
}

var nodeName = &Param{
	Name: "NAME", Kind: Node,
	Doc: "Durable name of the handler: a part of every key, so it outlives renames of the Go function.",
}

var providerName = &Param{
	Name: "NAME", Kind: Node,
	Doc: "Durable name of the provider: a part of every key, so it outlives renames of the Go function.",
}

// limits gives the arguments that actions and steps share, with more of the directive's own behind
// max_input.
func limits(more ...Param) []Param {
	params := []Param{
		{Name: "timeout", Kind: Duration, Default: "the worker's", Doc: "Longest time that one attempt may take; a timeout starts a new attempt."},
		{Name: "max_attempts", Kind: Count, Default: "the worker's", Doc: "Attempts until the step is discarded."},
		{Name: "backoff", Kind: Duration, Default: "the worker's", Doc: "Wait before the second attempt; it doubles with each further one."},
		{Name: "max_reclaims", Kind: CountOrNone, Default: "unbounded", Doc: "How often a crashed execution may be taken over within one attempt."},
		{Name: "max_input", Kind: Size, Default: "the client's limit", Doc: "Largest input; a larger one is refused when it is enqueued."},
	}
	params = append(params, more...)
	return append(params,
		Param{Name: "queue", Kind: Queue, Default: "default", Doc: "Queue that the handler waits in."},
		Param{Name: "fixture", Kind: Function, Default: "none", Doc: "Function of the package or its tests that the generated test calls: it gives a method's receiver, then the input or nothing."},
	)
}

func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = name(v)
	}
	return out
}

func directiveNames() []string {
	return names(registry, func(s *Spec) string { return s.Name })
}

func supportedNames() []string {
	var supported []string
	for _, s := range registry {
		if !s.Later {
			supported = append(supported, s.Name)
		}
	}
	return supported
}

func (s *Spec) paramNames() []string {
	return names(s.Params, func(p Param) string { return p.Name })
}
