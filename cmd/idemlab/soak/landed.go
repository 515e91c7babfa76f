package soak

import (
	"github.com/idem-go/idem/cmd/idemlab/soak/fault"
	"github.com/idem-go/idem/cmd/idemlab/soak/finding"
)

// notLanded asks I12: every kind of fault that was planned has landed at least once.
func notLanded(planned []fault.Fault, landed map[fault.Kind]int) finding.Violation {
	return mix.Missed("I12", planned, landed)
}
