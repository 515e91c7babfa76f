package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"text/tabwriter"

	"github.com/idem-go/idem/runtime/pgtest"
)

// report is what a run has found, as it is written to results.json.
type report struct {
	Machine      machine   `json:"machine"`
	Steps        int       `json:"steps"`
	Repetitions  int       `json:"repetitions"`
	Measurements []summary `json:"measurements"`
	Samples      []Sample  `json:"samples"`

	chosen []measurement
}

// machine is what the figures depend on.
type machine struct {
	OS       string `json:"os"`
	CPUs     int    `json:"cpus"`
	Go       string `json:"go"`
	Postgres string `json:"postgres"`
}

// summary has the medians of one measurement. Ratio is the median of the ratios within each repetition.
type summary struct {
	Sample
	Base  string  `json:"base,omitempty"`
	Ratio float64 `json:"ratio,omitempty"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

func newReport(server *pgtest.Server, chosen []measurement, o options) *report {
	return &report{
		Machine: machine{OS: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version(), Postgres: server.Source()},
		Steps:   o.steps, Repetitions: o.repetitions, chosen: chosen,
	}
}

// values returns a figure of a measurement, of each repetition.
func (r *report) values(name string, figure func(Sample) float64) (values []float64) {
	for _, s := range r.Samples {
		if s.Name == name {
			values = append(values, figure(s))
		}
	}
	return values
}

// ratios returns a figure of one measurement to the same of another, of each repetition that has both.
func (r *report) ratios(of, to string, figure func(Sample) float64) (ratios []float64) {
	for _, s := range r.Samples {
		for _, base := range r.Samples {
			if s.Name == of && base.Name == to && s.Repetition == base.Repetition && figure(base) != 0 {
				ratios = append(ratios, figure(s)/figure(base))
			}
		}
	}
	return ratios
}

func (r *report) summarize() {
	r.Measurements = nil
	for _, m := range r.chosen {
		if len(r.values(m.name, value)) > 0 {
			r.Measurements = append(r.Measurements, r.summaryOf(m))
		}
	}
}

func (r *report) summaryOf(m measurement) summary {
	s := summary{Sample: Sample{Name: m.name}, Base: m.base}
	for _, one := range r.Samples {
		if one.Name != m.name {
			continue
		}
		s.Unit, s.Steps, s.Note = one.Unit, one.Steps, one.Note
		if s.Least == 0 || one.Value < s.Least {
			s.Least = one.Value
		}
		s.Most = max(s.Most, one.Value)
	}
	of := func(figure func(Sample) float64) float64 { return median(r.values(m.name, figure)) }
	s.Value, s.P99 = of(value), of(p99)
	s.PostgresCPU, s.GoCPU = of(postgresCPU), of(func(s Sample) float64 { return s.GoCPU })
	s.Fsyncs = of(func(s Sample) float64 { return s.Fsyncs })
	s.Commits = of(func(s Sample) float64 { return s.Commits })
	s.WAL = of(func(s Sample) float64 { return s.WAL })
	s.Seconds = of(func(s Sample) float64 { return s.Seconds })
	s.Busy, s.Other = of(func(s Sample) float64 { return s.Busy }), of(func(s Sample) float64 { return s.Other })
	if ratios := r.ratios(m.name, m.base, value); len(ratios) > 0 {
		s.Ratio = median(ratios)
	}
	return s
}

// print writes the tables for people.
func (r *report) print(out io.Writer) {
	r.summarize()
	fmt.Fprintf(out, "\nMedians of %d, %d steps; %s, %d CPUs, %s, Postgres from %s\n",
		r.Repetitions, r.Steps, r.Machine.OS, r.Machine.CPUs, r.Machine.Go, r.Machine.Postgres)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "measurement\tmedian\t\tleast\tmost\tp99\tratio\tpg us\tgo us\tfsyncs\tcommits\tWAL B\tother\t")
	for _, s := range r.Measurements {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, figure(s.Value), s.Unit, figure(s.Least), figure(s.Most),
			known(s.P99), known(s.Ratio), known(s.PostgresCPU), known(s.GoCPU), known(s.Fsyncs), known(s.Commits), known(s.WAL), known(s.Other))
	}
	_ = t.Flush()
	r.printGoals(out)
}

// known leaves out what was not measured.
func known(v float64) string {
	if v == 0 {
		return ""
	}
	return figure(v)
}

// write writes the files.
func (r *report) write(folder string, out io.Writer) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	plot, err := r.plot()
	if err != nil {
		return err
	}
	data, picture := filepath.Join(folder, "results.json"), filepath.Join(folder, "results.svg")
	if err := errors.Join(os.WriteFile(data, append(text, '\n'), 0o644), os.WriteFile(picture, plot, 0o644)); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nwrote %s and %s\n", data, picture)
	return nil
}
