package right

// Desk has nothing that handlers reach for past their Context.
type Desk struct{}
