package maintenance_test

import (
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/internal/maintenance"
	"github.com/idem-go/idem/runtime/internal/schedule"
	"github.com/idem-go/idem/runtime/internal/step"
)

// Polls look for leases that have run out as well, and tell the sweeper: what they have looked at is behind it.
func ExampleSweeper_Passed() {
	s := maintenance.NewSweeper(&step.Host{}, time.Minute, 5*time.Second, func(string, int64) {})
	fmt.Println(s.From().IsZero())
	s.Passed(time.Date(2026, 1, 2, 3, 4, 30, 0, time.UTC))
	fmt.Println(s.From().Format(time.TimeOnly))
	// Output:
	// true
	// 03:04:20
}

// Steps that wait come before steps that have ended long ago.
func ExampleRetirer_Busy() {
	now := time.Now()
	of := func(since time.Time) bool {
		r := maintenance.Retirer{Backlogs: func() []schedule.Backlog { return []schedule.Backlog{{}, {Since: since}} }}
		return r.Busy()
	}
	fmt.Println(of(now), of(now.Add(-time.Second)), of(now.Add(-time.Hour)))
	// Output: false true false
}
