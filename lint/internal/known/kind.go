package known

// Kind is what a line of the table says of its symbol.
type Kind string

// The kinds. A symbol may have several.
const (
	Attempt   Kind = "attempt"   // a function, method or field that gives an attempt, retry or delivery counter
	Run       Kind = "run"       // gives the identity of the run, which all steps of it share
	Node      Kind = "node"      // gives the identity of the step within its run
	Fresh     Kind = "fresh"     // gives something new in each execution; len= is its length as text
	Fills     Kind = "fills"     // fills argument arg= with something new
	Attribute Kind = "attribute" // a map whose entry name= is an attempt counter
	Handler   Kind = "handler"   // a function with a parameter of this type runs again; form=task: only func(context, T) error; form=workflow: only func(T, In) (Out, error); form=consumer: only func(T) (…, error); form=message: none that is named as a sender
	Repeats   Kind = "repeats"   // a function that calls it runs again
	Repeated  Kind = "repeated"  // the function given as argument arg= runs again
	Key       Kind = "key"       // argument arg=, or the field, is a deduplication key
	Carry     Kind = "carry"     // the result is made of the arguments and the receiver; digest= and len= give its length
	Write     Kind = "write"     // the arguments are added to the receiver, or to argument dest=
	Unordered Kind = "unordered" // the result's order is different in each execution
	Sort      Kind = "sort"      // sorts its first argument
	Sorted    Kind = "sorted"    // gives its result in an order of its own
	Network   Kind = "network"   // has an effect outside of the process and of the database
	Wait      Kind = "wait"      // blocks
	Pool      Kind = "pool"      // a type that runs statements outside of the transactions at hand
	Tx        Kind = "tx"        // a type that is a transaction
	Begin     Kind = "begin"     // begins a transaction and returns it
	Within    Kind = "within"    // runs the function given as argument arg= within a new transaction
	End       Kind = "end"       // commits or rolls back its receiver
	Execute   Kind = "execute"   // runs a statement in the completion transaction of a handler
	Complete  Kind = "complete"  // completes the job within a transaction among its arguments
	Spawn     Kind = "spawn"     // runs the function given as argument arg= in another goroutine
	Limit     Kind = "limit"     // a key for anything of this package has at most max= bytes
)

// kinds lists them for the reader of the table.
var kinds = []Kind{
	Attempt, Run, Node, Fresh, Fills, Attribute, Handler, Repeats, Repeated, Key, Carry, Write, Unordered, Sort,
	Sorted, Network, Wait, Pool, Tx, Begin, Within, End, Execute, Complete, Spawn, Limit,
}

// opening are the kinds whose packages make a package worth a closer look.
var opening = map[Kind]bool{
	Attempt: true, Run: true, Node: true, Handler: true, Repeats: true, Repeated: true, Key: true,
	Begin: true, Within: true, Attribute: true,
}
