package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/idem-go/idem/runtime/pgtest"
)

// measurement is one line of the report.
type measurement struct {
	name  string // what is measured, and of whom
	about string // for people
	base  string // the measurement that its figure is compared with; empty: none
	run   func(context.Context, *rig) error
}

// measurements returns all of them, in the order in which a repetition runs them.
func measurements() []measurement {
	return slices.Concat(
		throughput(), slowHandlers(), failures(), latency(), enqueueing(), relaying(), growth(), severalWorkers(), footprint(), enduring(),
	)
}

// Sample is what one repetition of a measurement gave. What does not apply is zero, and left out.
type Sample struct {
	Name       string  `json:"name"`
	Repetition int     `json:"repetition"`
	Value      float64 `json:"value"` // the figure that is compared
	Unit       string  `json:"unit"`
	P99        float64 `json:"p99,omitempty"` // beside a median, in the same unit
	Steps      int     `json:"steps,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"`
	// Per step: CPU time in microseconds, and what Postgres had to write.
	PostgresCPU float64 `json:"postgres_cpu_us,omitempty"`
	GoCPU       float64 `json:"go_cpu_us,omitempty"`
	Fsyncs      float64 `json:"fsyncs,omitempty"`
	Commits     float64 `json:"commits,omitempty"`
	WAL         float64 `json:"wal_bytes,omitempty"`
	// Shares of the machine's CPU time: all that was busy, and what others than the two took of it.
	Busy  float64 `json:"busy,omitempty"`
	Other float64 `json:"other,omitempty"`
	// Dead rows of a table after a while, to those before.
	Dead float64 `json:"dead,omitempty"`
	Note string  `json:"note,omitempty"`
}

// Units.
const (
	perSecond    = "/s"
	milliseconds = "ms"
	mebibytes    = "MiB"
	ofACore      = "% of a core"
	ofBefore     = "of before"
)

// measure runs the measurements, all of them once in each repetition, so that what changes on the machine meanwhile
// meets all of them. With an error it gives what was measured before.
func measure(ctx context.Context, server *pgtest.Server, chosen []measurement, o options, out io.Writer) (*report, error) {
	rep := newReport(server, chosen, o)
	worker := new(workerProgram)
	defer worker.remove()
	for i := range o.repetitions {
		for _, m := range chosen {
			if o.quiet > 0 {
				awaitQuiet(ctx, o.quiet)
			}
			s, err := measureOnce(ctx, server, worker, m, o)
			if err != nil {
				return rep, fmt.Errorf("%s: %w", m.name, err)
			}
			s.Repetition = i + 1
			rep.Samples = append(rep.Samples, s)
			fmt.Fprintln(out, s)
		}
	}
	return rep, nil
}

func measureOnce(ctx context.Context, server *pgtest.Server, worker *workerProgram, m measurement, o options) (Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, o.timeout+o.scale.endure)
	defer cancel()
	r := &rig{server: server, worker: worker, steps: o.steps, scale: o.scale, sample: Sample{Name: m.name}}
	defer r.close()
	if err := m.run(ctx, r); err != nil {
		return Sample{}, err
	}
	return r.sample, r.finish(ctx)
}

// String is the line that is printed as soon as the sample is there.
func (s Sample) String() string {
	line := fmt.Sprintf("%d %-32s %10s %-11s", s.Repetition, s.Name, figure(s.Value), s.Unit)
	if s.P99 > 0 {
		line += fmt.Sprintf(" p99=%s", figure(s.P99))
	}
	if s.PostgresCPU > 0 {
		line += fmt.Sprintf(" pg=%.0fus go=%.0fus", s.PostgresCPU, s.GoCPU)
	}
	if s.WAL > 0 {
		line += fmt.Sprintf(" fsyncs=%.3f commits=%.3f wal=%.0fB", s.Fsyncs, s.Commits, s.WAL)
	}
	if s.Busy > 0 {
		line += fmt.Sprintf(" busy=%.0f%% other=%.0f%%", 100*s.Busy, 100*s.Other)
	}
	if s.Seconds > 0 {
		line += fmt.Sprintf(" %.2fs", s.Seconds)
	}
	if s.Dead > 0 {
		line += fmt.Sprintf(" dead=%s", figure(s.Dead))
	}
	if s.Note != "" {
		line += " " + s.Note
	}
	return line
}

// awaitQuiet waits until the machine does next to nothing.
func awaitQuiet(ctx context.Context, limit time.Duration) {
	const idle = 0.1
	for end := time.Now().Add(limit); time.Now().Before(end) && ctx.Err() == nil; {
		before := machineCPU()
		time.Sleep(400 * time.Millisecond)
		if machineCPU().since(before).busyShare() < idle {
			return
		}
	}
}
