package schedule

import "time"

// What claims look at.
const (
	// ClaimLimit bounds one claim, so that a worker with many places does not take a whole queue from the others. It is several
	// groups of a commit: places become free in such numbers at most.
	ClaimLimit = 500

	// claimWait is how long a full scan may keep claims waiting: a delay that nobody notices beside a commit under
	// load. Where one takes longer, steps behind the cursor are looked for beside the claims instead.
	claimWait = 20 * time.Millisecond

	// fullShare is how many times as long as a full scan took the next one is not due: with it they take a thirtieth of the time.
	// Their cost goes on when they are over, since where one reads many pages, those that the others need have left Postgres's
	// buffers.
	fullShare = 29

	// A scan that takes more than scanGrowth times as long as the one before, and longer than doubtful, may have met a machine or
	// a database that stood still. It is not believed at once: what waits for the next one would wait thirty times as long as
	// that. The first scan is: a worker that starts where scans take long must not begin with many of them.
	doubtful   = 10 * time.Millisecond
	scanGrowth = 4

	// A recent scan looks no further before the cursor than recentBy, and comes at most once in recentEvery: few transactions
	// take longer than two seconds between the enqueueing of a step and their commit, and a scan costs more than its own time, by
	// what it displaces.
	recentBy    = 2 * time.Second
	recentEvery = time.Second / 2

	// While there is a backlog a claim waits until a worthwhileShare-th of the queue's places is free, but no longer than
	// claimPatience. A worker whose handlers are the limit loses a sixteenth by it at most, since half of the share is free on
	// average, and next to nothing when its handlers take long; one whose database is the limit gains the claims that it does
	// without.
	worthwhileShare = 8
	claimPatience   = 5 * time.Millisecond
)

// What sweeps look at.
const (
	// SweepPage is how many expired leases one statement takes back: enough for a worker that died with a full queue in a few
	// statements, and few enough to hold their rows for a moment only.
	SweepPage = 100

	// scanBudget is what the first full scan of the leases may take. One that is cut short was not for nothing: what it passed
	// over the next one passes over in a fraction of the time, since it has marked dead entries as such. Where that cannot be,
	// under an old snapshot, twice the time is allowed.
	scanBudget = 100 * time.Millisecond

	// pollsPerFull is how many sweeps a worker leaves out at most, one after the other, because its polls have found nothing. A
	// poll looks no further back than the watermark.
	pollsPerFull = 6

	// leastKeep is how far before the watermark a sweep begins at least: a lease that ran out, or was committed, while the
	// machine was slow is for the next sweep to find, and not for a full scan.
	leastKeep = 10 * time.Second
)

// When retention looks, and for how long it rests.
const (
	// retireEvery is how often a worker looks for steps to remove: retention is stated in days.
	retireEvery = time.Minute

	// passRest is how many times as long as a pass spent on steps that had to stay the next one is put off. What it spends on those
	// that it removes does not count, or a busy table would be left alone for the longer the more there is to remove.
	passRest = 20

	// Within a pass a worker rests after each batch, idleRest times as long as that took: it removes half as many steps again as
	// it can complete, and still more than enough where it is busy with those half of the time, which makes a batch take twice as
	// long. A backlog comes first, with busyRest.
	idleRest = 2
	busyRest = 20

	// A backlog that is over within a Burst is none: each burst of steps is one for a worker with time to spare. For one that
	// stays, retention gives way for mostYield at most: a table of which less is removed than is added to it grows.
	Burst     = 250 * time.Millisecond
	mostYield = 5 * time.Minute
)
