package fault

import (
	"time"

	"github.com/idem-go/idem/cmd/idemlab/soak/proxy"
)

// Kind is what is done to processes, or to the database under them.
type Kind string

// Fault is one planned fault. Times are in milliseconds, counted from the start of the soak.
type Fault struct {
	At     int64     `json:"at_ms"`
	Kind   Kind      `json:"fault"`
	Victim int       `json:"victim"` // the number of the process that it is meant for
	For    int64     `json:"for_ms,omitempty"`
	Way    proxy.Way `json:"way,omitempty"`
}

// Lasts is how long the fault lasts.
func (f Fault) Lasts() time.Duration { return time.Duration(f.For) * time.Millisecond }
