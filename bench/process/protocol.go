package process

// TaskVariable is the environment variable that a worker process finds its [Task] in, as JSON.
const TaskVariable = "IDEM_BENCH_TASK"

// Kind is what a worker process is there for.
type Kind string

// The kinds.
const (
	Work Kind = "work" // run a worker; report how many steps it has completed, as often as that changes
	Hold Kind = "hold" // claim steps, and keep them until told to release them; report the memory that it takes
)

// Task is what a worker process is told when it starts.
type Task struct {
	Kind   Kind
	URL    string // of the database
	Claims int    // how many steps to hold
}

// Orders are lines of a worker process's standard input. When that ends, the process stops.
const (
	Go      = "go"      // begin
	Release = "release" // complete the steps that are held
)

// Report is a line of a worker process's output, in JSON.
type Report struct {
	Steps  int     // completed, or held
	Before float64 // memory before the first step, in MiB
	Memory float64 // with all of them
	Heap   float64 // of which the heap's, after a collection
	Stacks float64 // and the goroutines' stacks
}
