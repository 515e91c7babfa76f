package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// goal is what idem should reach: a figure of one measurement, to that of others within the same repetition.
type goal struct {
	about  string
	of     string
	to     []string // of several the best in each repetition; without any it is the figure itself
	figure func(Sample) float64
	atMost bool // otherwise at least
	limit  float64
}

func value(s Sample) float64       { return s.Value }
func p99(s Sample) float64         { return s.P99 }
func dead(s Sample) float64        { return s.Dead }
func postgresCPU(s Sample) float64 { return s.PostgresCPU }

func goals() []goal {
	return []goal{
		{about: "recorded effects, to River at its best", of: "throughput/idem-recorded", to: []string{"throughput/river-generic-plan"}, figure: value, limit: 9},
		{about: "recorded effects, to the bare grouped committer", of: "throughput/idem-recorded", to: []string{"throughput/bare-committer"}, figure: value, limit: 0.75},
		{about: "the handler's own statement, to River at its best", of: "throughput/idem-direct", to: []string{"throughput/river-generic-plan"}, figure: value, limit: 2},
		{about: "the handler's own statement, to the bare loop of 2 round trips", of: "throughput/idem-direct", to: []string{"throughput/bare-2-trips"}, figure: value, limit: 0.75},
		{about: "handlers of 10 ms, to River", of: "slow/idem-recorded", to: []string{"slow/river-generic-plan"}, figure: value, limit: 1},
		{about: "handlers of 10 ms, Postgres CPU to River's", of: "slow/idem-recorded", to: []string{"slow/river-generic-plan"}, figure: postgresCPU, atMost: true, limit: 0.25},
		{about: "1 % refused by the database, to none", of: "failures/idem-1-percent", to: []string{"failures/idem-clean"}, figure: value, limit: 0.5},
		{about: "5 % refused by the database, to steps committed one by one", of: "failures/idem-5-percent", to: []string{"failures/idem-single-steps"}, figure: value, limit: 1},
		{about: "idle, enqueue to committed effect: median to River's best", of: "latency/idem", to: []string{"latency/river-1ms", "latency/river"}, figure: value, atMost: true, limit: 1},
		{about: "idle, enqueue to committed effect: p99 to River's best", of: "latency/idem", to: []string{"latency/river-1ms", "latency/river"}, figure: p99, atMost: true, limit: 1},
		{about: "enqueue one by one from 16 clients, to River", of: "enqueue/idem-single-x16", to: []string{"enqueue/river-single-x16"}, figure: value, limit: 2},
		{about: "enqueue 1000 at a time, to InsertManyFast", of: "enqueue/idem-many-1000", to: []string{"enqueue/river-fast-1000"}, figure: value, limit: 1.3},
		{about: "enqueue 10000 at a time, to InsertManyFast", of: "enqueue/idem-many-10000", to: []string{"enqueue/river-fast-10000"}, figure: value, limit: 1.3},
		{about: "a grown, un-vacuumed table, to an empty one", of: "growth/idem-unvacuumed", to: []string{"growth/idem-empty"}, figure: value, limit: 0.9},
		{about: "the same with retention deleting, to an empty one", of: "growth/idem-retention", to: []string{"growth/idem-empty"}, figure: value, limit: 0.9},
		{about: "a snapshot held open, to an empty table", of: "growth/idem-snapshot", to: []string{"growth/idem-empty"}, figure: value, limit: 0.8},
		{about: "at half rate, the table's size, to before", of: "endurance/idem-half-rate", figure: value, atMost: true, limit: 1.1},
		{about: "at half rate, its dead rows, to before", of: "endurance/idem-half-rate", figure: dead, atMost: true, limit: 1.1},
		{about: "2 workers, to one", of: "workers/idem-2", to: []string{"workers/idem-1"}, figure: value, limit: 1},
		{about: "4 workers, to one", of: "workers/idem-4", to: []string{"workers/idem-1"}, figure: value, limit: 1},
		{about: "memory of a worker that holds 10,000 steps, MiB", of: "memory/idem-claimed", figure: value, atMost: true, limit: 100},
		{about: "the same with GOMEMLIMIT=" + memoryLimit, of: "memory/idem-claimed-limited", figure: value, atMost: true, limit: 100},
		{about: "100 idle workers, Postgres CPU in % of a core", of: "memory/idem-idle", figure: value, atMost: true, limit: 2},
		{about: "relay, to the same requests without a database", of: "relay/idem-plain", to: []string{"relay/http-plain"}, figure: value, limit: 0.55},
		{about: "relay, to watermill-sql at its best", of: "relay/idem-plain", to: []string{"relay/watermill-100", "relay/watermill-500", "relay/watermill-queue-100", "relay/watermill-queue-500"}, figure: value, limit: 1.5},
		{about: "relay to a receiver that takes 10 ms, to the receiver's limit", of: "relay-slow/idem-plain", to: []string{"relay-slow/http-plain"}, figure: value, limit: 0.95},
	}
}

// reached returns the median of the goal's ratio over the repetitions that have both of its measurements.
func (g goal) reached(r *report) (ratio float64, measured bool) {
	if len(g.to) == 0 {
		values := r.values(g.of, g.figure)
		return median(values), len(values) > 0
	}
	best := map[int]float64{} // of a repetition: the ratio to the strongest of the others
	for _, s := range r.Samples {
		for _, other := range r.Samples {
			if s.Name != g.of || s.Repetition != other.Repetition || !slices.Contains(g.to, other.Name) || g.figure(other) == 0 {
				continue
			}
			ratio := g.figure(s) / g.figure(other)
			if known, is := best[s.Repetition]; !is || g.atMost == (ratio > known) {
				best[s.Repetition] = ratio
			}
		}
	}
	return median(slices.Collect(maps.Values(best))), len(best) > 0
}

func (r *report) printGoals(out io.Writer) {
	heading := "\nGoals (medians of ratios within a repetition)\n"
	for _, g := range goals() {
		ratio, measured := g.reached(r)
		if !measured {
			continue
		}
		sign, met := ">=", ratio >= g.limit
		if g.atMost {
			sign, met = "<=", ratio <= g.limit
		}
		verdict := "missed"
		if met {
			verdict = "met"
		}
		fmt.Fprintf(out, "%s%-66s %8s  %s %-5s %s\n", heading, g.about, figure(ratio), sign, figure(g.limit), verdict)
		heading = ""
	}
}
