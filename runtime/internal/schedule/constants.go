package schedule

import "time"

// What claims look at.
const (
	// ClaimLimit bounds one claim, so that a worker with many places does not take a whole queue from the others. The number was
	// never measured; it leaves room for several groups of a commit, of 100 steps by default. As many steps at most are known
	// from scans beside the claims, and from this worker's sweep.
	ClaimLimit = 500

	// claimWait is how long a full scan may keep claims waiting. Where one takes longer, steps behind the cursor are looked for
	// beside the claims instead: under a snapshot that was held for ten minutes full ones kept the claims waiting for seconds.
	// The number was never measured; it lies between that and the milliseconds of a usual claim.
	claimWait = 20 * time.Millisecond

	// fullShare is how many times as long as a full scan took the next one is not due: with it they take a thirtieth of the time.
	// A fifth and a tenth were tried, and were too much. Their cost goes on when they are over, since where one reads many pages,
	// those that the others need have left Postgres's buffers.
	fullShare = 29

	// A scan that takes more than scanGrowth times as long as the one before, and longer than doubtful, may have met a machine or
	// a database that stood still. It is not believed at once: what waits for the next one would wait thirty times as long as
	// that. What is not doubtful puts the next one off by 0.3 s at most; scans that go on taking a second are believed after the
	// fifth. The first scan is believed: a worker that starts where scans take long must not begin with many of them.
	doubtful   = 10 * time.Millisecond
	scanGrowth = 4

	// A recent scan looks no further before the cursor than recentBy, and comes at most once in recentEvery: few transactions
	// take longer than two seconds between the enqueueing of a step and their commit, and a scan costs more than its own time, by
	// what it displaces. It was five seconds, and as often as a thirtieth of the time allows, before that was seen.
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
	// SweepPage is how many expired leases one statement takes back, so that it does not lock the rows of all of them at once.
	// The number was never measured; it is what a worker runs of a queue by default.
	SweepPage = 100

	// scanBudget is what the first full scan of the leases may take: with what it puts the next one off that is three seconds, and
	// sweeps come every five by default. One that is cut short was not for nothing: what it passed over the next one passes over
	// in a fraction of the time, since it has marked dead entries as such. Where that cannot be, under an old snapshot, twice the
	// time is allowed.
	scanBudget = 100 * time.Millisecond

	// pollsPerFull is for how many times a sweep's pause a worker leaves sweeps out, because its polls have found nothing. A poll
	// looks no further before the watermark than a sweep that is not full; what lies before that waits for as long, which is half
	// a lease with the defaults.
	pollsPerFull = 6

	// leastKeep is how far before the watermark a sweep begins at least, twice its pause if that is more: a lease that ran out, or
	// was committed, while the machine was slow is for the next sweep to find, and not for a full scan, which is rare there.
	leastKeep = 10 * time.Second
)

// When retention looks, and for how long it rests.
const (
	// retireEvery is how often a worker looks for steps to remove: as a rule they stay for days, so that a minute more is nothing.
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
