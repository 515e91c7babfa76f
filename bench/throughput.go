package main

// throughput: steps that were enqueued before, each of which inserts one row on a ledger that commits with its
// completion.
func throughput() []measurement {
	const base = "throughput/river-generic-plan"
	direct := directly
	return []measurement{
		{"throughput/idem-recorded", "handlers that declare their row, 256 in flight", base, recorded.drain},
		{"throughput/idem-direct", "handlers that use CompletionTx().Exec, 256 in flight", base, direct.drain},
		{"throughput/river", "River, JobCompleteTx, best workers and pool", base, riverRun{atomic: true}.drain},
		{base, "the same with plan_cache_mode=force_generic_plan: River at its best", base, riverRun{atomic: true, generic: true}.drain},
		{"throughput/river-not-atomic", "River with its batch completer: the row and the completion commit apart", base, riverRun{generic: true}.drain},
		{"throughput/dbos", "DBOS, a transaction on its own database, from a queue", base, dbosDrain},
		{"throughput/gue", "gue, whose handler runs in the transaction that deletes the job", base, gueDrain},
		{"throughput/bare-2-trips", "bare loop, 2 round trips a step, fenced, 16 at a time", base, bareRun{handlers: 16, do: twoTrips}.drain},
		{"throughput/bare-1-trip", "bare loop, 1 round trip a step, fenced, 16 at a time", base, bareRun{handlers: 16, do: oneTrip}.drain},
		{"throughput/bare-committer", "bare loop, 256 handlers, 2 committers that take what is ready, fenced", base, bareCommitters{handlers: 256, committers: 2}.drain},
		{"throughput/bare-groups", "bare loop, 2 that claim and commit 100 at a time, fenced", base, bareGroups{loops: 2}.drain},
	}
}

// slowHandlers: the same with handlers that take 10 ms each.
func slowHandlers() []measurement {
	const base = "slow/river-generic-plan"
	return []measurement{
		{"slow/idem-recorded", "handlers that take 10 ms, 256 in flight", base, slowly.drain},
		{base, "River at its best, handlers that take 10 ms, 256 in flight", base, riverRun{atomic: true, generic: true, workers: 256, slow: true}.drain},
	}
}
