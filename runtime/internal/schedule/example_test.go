package schedule_test

import (
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/internal/schedule"
)

// A worker's first claim is a full scan. That took long, so that its next one begins where the first one came to, and steps
// behind that are looked for beside it, at first a little before it.
func ExamplePlanClaim() {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	queue := schedule.NewQueue()

	claim, queue := schedule.PlanClaim(queue, now, 10)
	fmt.Println("full:", claim.Full)
	ended := now.Add(time.Second)
	queue.Claimed(claim, schedule.Cursor{At: now.Add(-time.Minute), ID: 7}, now, ended)

	claim, queue = schedule.PlanClaim(queue, ended, 10)
	fmt.Println("full:", claim.Full, "from:", claim.From.At.Format(time.TimeOnly), claim.From.ID)
	fmt.Println("beside:", claim.Beside.From.Format(time.TimeOnly), "to", claim.Beside.To.At.Format(time.TimeOnly))
	queue.Scanned(*claim.Beside, []int64{3}, ended, ended.Add(time.Millisecond))

	claim, _ = schedule.PlanClaim(queue, ended, 10)
	fmt.Println("these:", claim.These)
	// Output:
	// full: true
	// full: false from: 03:03:05 7
	// beside: 03:03:03 to 03:03:05
	// these: [3]
}

// A sweep is left out while polls look for leases that have run out.
func ExamplePlanSweep() {
	const every = 5 * time.Second
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	leases := schedule.NewLeases(every)
	fmt.Printf("%+v\n", schedule.PlanSweep(leases, now, every, false).Full)
	leases.TookFull(now, now.Add(time.Millisecond))
	leases.Passed(now, now.Add(time.Second)) // a poll has found nothing
	fmt.Printf("%+v\n", schedule.PlanSweep(leases, now.Add(2*time.Second), every, false).Skip)
	// Output:
	// true
	// true
}

// What a pass spends on steps that have to stay puts the next one off.
func ExampleRetention() {
	var seen schedule.Retention
	batch := seen.Begin()
	fmt.Println("after", batch.After)
	batch, done := seen.PlanBatch(schedule.Page{Last: 1000, Seen: 1000, Removed: 1000}, 1000, 20*time.Millisecond, false)
	fmt.Println("after", batch.After, "in", batch.Rest, done)
	batch, done = seen.PlanBatch(schedule.Page{Last: 2000, Seen: 1000}, 1000, 2*time.Second, false)
	fmt.Println("after", batch.After, "in", batch.Rest, done)
	_, done = seen.PlanBatch(schedule.Page{Last: 2007, Seen: 7, Young: true}, 1000, time.Millisecond, false)
	fmt.Println(done, seen.Floor, seen.Pause())
	// Output:
	// after 0
	// after 1000 in 40ms false
	// after 2000 in 4s false
	// true 1000 2m0s
}
