package probe

import "sync/atomic"

// Point is a place in the code where a fault can be injected.
type Point string

// The points, in the order in which a step passes them.
const (
	ClaimAfterCommit    Point = "claim.after_commit"
	HandlerStart        Point = "handler.start"
	IntentAfterPrepare  Point = "intent.after_prepare"
	IntentAfterAnswer   Point = "intent.after_answer"
	HandlerAfterWrite   Point = "handler.after_write"
	CompleteBeforeFence Point = "complete.before_fence"
	CommitAfter         Point = "commit.after"
	HeartbeatBeforeSend Point = "heartbeat.before_send"
	TimeoutAfterFire    Point = "timeout.after_fire"
	ShutdownAfterSignal Point = "shutdown.after_signal"
)

// Hook is what a test does at a point. It may block, sleep or end the process.
type Hook func(p Point, runID, node string)

var hook atomic.Pointer[Hook]

// Set installs h for the whole process and gives back a function that removes it.
func Set(h Hook) (remove func()) {
	hook.Store(&h)
	return func() { hook.Store(nil) }
}

// Armed reports whether a hook is set.
func Armed() bool { return hook.Load() != nil }

// At calls the hook, if one is set.
func At(p Point, runID, node string) {
	if h := hook.Load(); h != nil {
		(*h)(p, runID, node)
	}
}
