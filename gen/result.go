package gen

import "github.com/idem-go/idem/gen/output"

// Result is what a run made, in memory.
type Result struct {
	Files    []output.File // every file of the run, sorted by path
	Packages int           // how many packages bear directives
	Notes    []string      // what a person may want to know
	Unseen   []string      // files with directives that were not looked at, and why
}

// Drift returns the files that are not as they should be: missing, changed or orphaned.
func (r *Result) Drift() []output.File {
	var drift []output.File
	for _, f := range r.Files {
		if f.Drifted() {
			drift = append(drift, f)
		}
	}
	return drift
}

// Write makes the files what they should be, all or none.
func (r *Result) Write() error { return output.Write(r.Files) }
