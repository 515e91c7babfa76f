package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	selected    *regexp.Regexp
	list        bool
	quick       bool
	repetitions int
	steps       int
	out         string
	quiet       time.Duration
	timeout     time.Duration
	profile     string
	scale       scale
}

// scale is how much each measurement does, apart from steps.
type scale struct {
	samples   int           // latencies
	pending   int           // rows that wait in a grown table
	completed int           // rows that are done there
	hold      time.Duration // how long a snapshot is held under load before the measurement
	commands  int           // of the relay
	claimed   int           // steps that a worker holds at once
	idle      time.Duration // how long idle workers are watched
	endure    time.Duration // how long a table is watched under a steady load; 0: not at all
}

var (
	fullScale  = scale{samples: 500, pending: 100_000, completed: 1_000_000, hold: 20 * time.Second, commands: 50_000, claimed: 10_000, idle: 30 * time.Second}
	quickScale = scale{samples: 3, pending: 400, completed: 1_000, hold: 100 * time.Millisecond, commands: 200, claimed: 200, idle: 500 * time.Millisecond, endure: 3 * time.Second}
)

const (
	fullSteps  = 20_000
	quickSteps = 200
)

// parse reads the flags. -quick changes the defaults of the sizes, and no more.
func parse(args []string, out io.Writer) (options, error) {
	o := options{scale: fullScale}
	if slices.Contains(args, "-quick") || slices.Contains(args, "--quick") {
		o.scale, o.steps, o.repetitions = quickScale, quickSteps, 1
	} else {
		o.steps, o.repetitions = fullSteps, 3
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	pattern := flags.String("run", "", "run only the measurements whose names match this `regexp`")
	flags.BoolVar(&o.list, "list", false, "list the measurements and stop")
	flags.BoolVar(&o.quick, "quick", false, "small sizes: does everything work? The figures mean nothing")
	flags.IntVar(&o.repetitions, "reps", o.repetitions, "interleaved repetitions of all measurements")
	flags.IntVar(&o.steps, "n", o.steps, "steps of a measurement")
	flags.StringVar(&o.out, "out", "results", "`folder` for results.json and results.svg")
	flags.DurationVar(&o.quiet, "quiet", 0, "wait before each measurement until the machine is idle, this long at most")
	flags.DurationVar(&o.timeout, "timeout", 30*time.Minute, "the longest that one measurement may take")
	flags.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of this program to `file`")
	s := &o.scale
	flags.IntVar(&s.samples, "samples", s.samples, "latencies of a latency measurement")
	flags.IntVar(&s.completed, "completed", s.completed, "completed rows of the growth measurements")
	flags.IntVar(&s.pending, "pending", s.pending, "pending rows of the growth measurements")
	flags.DurationVar(&s.hold, "hold", s.hold, "how long growth/idem-snapshot keeps a snapshot under load before it measures")
	flags.IntVar(&s.commands, "commands", s.commands, "commands of a relay measurement")
	flags.IntVar(&s.claimed, "claimed", s.claimed, "steps that memory/idem-claimed holds")
	flags.DurationVar(&s.idle, "idle", s.idle, "how long memory/idem-idle watches its workers")
	flags.DurationVar(&s.endure, "endure", s.endure, "how long endurance/idem-half-rate runs; half an hour tells something. Default: it does not")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.selected, err = regexp.Compile(*pattern); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	if o.repetitions < 1 || o.steps < 1 {
		return o, fmt.Errorf("-reps and -n must be at least 1")
	}
	return o, nil
}

// run is the command.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	chosen := choose(measurements(), o.selected)
	if o.list {
		return list(out, chosen)
	}
	if o.scale.endure == 0 {
		chosen = slices.DeleteFunc(chosen, func(m measurement) bool { return strings.HasPrefix(m.name, "endurance/") })
	}
	if len(chosen) == 0 {
		return fmt.Errorf("-run %v matches no measurement that would run; see -list", o.selected)
	}
	if o.profile != "" {
		stop, err := profileTo(o.profile)
		if err != nil {
			return err
		}
		defer stop()
	}
	s, err := startServer(ctx, o.quick)
	if err != nil {
		return err
	}
	defer func() { _ = s.Stop() }()
	report, err := measure(ctx, s, chosen, o, out)
	if len(report.Samples) == 0 {
		return err
	}
	report.print(out) // also what there is of a run that was interrupted
	return errors.Join(err, report.write(o.out, out))
}

func choose(all []measurement, selected *regexp.Regexp) []measurement {
	return slices.DeleteFunc(all, func(m measurement) bool { return !selected.MatchString(m.name) })
}

func list(out io.Writer, all []measurement) error {
	for _, m := range all {
		if _, err := fmt.Fprintf(out, "%-34s %s\n", m.name, m.about); err != nil {
			return err
		}
	}
	return nil
}

func profileTo(name string) (stop func(), err error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}
