// Package badignore finds directives //idem:ignore that ignore nothing.
//
// # badignore
//
// A directive without a reason does not apply: whoever reads the code later must know why the rule is
// wrong here. A misspelt rule, and a directive that silences nothing any more, hide nothing and mislead.
//
// Bad:
//
//	//idem:ignore freshkey
//	m.Send(ctx, uuid.NewString(), to)
//
// Good:
//
//	//idem:ignore freshkey -- the provider treats this as a trace id, not as a key
//	m.Send(ctx, uuid.NewString(), to)
package badignore
