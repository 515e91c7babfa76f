package handler

// Test is what the generated test of a handler runs it with.
type Test struct {
	Fixture string // the function that fixture= names; empty without. It returns the receiver of a method.
	// Input is what the handler is run with; nil: the fixture gives it, last.
	Input *Sample
	// Other is another input, where the harness could not make one out of Input; else nil.
	Other *Sample
}

// Sample is a value as a Go expression: Head, then, in braces if it is a composite literal, the Items, then Tail.
type Sample struct {
	// Head and Tail are written as [model.Type].Expr is: "1", "&${github.com/acme/money}.Amount", "new(".
	Head, Tail string
	Composite  bool
	Items      []SampleItem
	Imports    map[string]string // those of Head and Tail, as in [model.Type]
}

// SampleItem is one element of a composite literal.
type SampleItem struct {
	Key   *Sample // nil without
	Value Sample
}
