package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// report prints the medians, and the ratios to the bare load of the same round.
func (b *bench) report(out io.Writer, rounds int) error {
	fmt.Fprintf(out, "%s, %d processors; medians of %d rounds; %d packages of %d handlers and effects each\n\n",
		runtime.Version(), runtime.NumCPU(), rounds, len(b.in.names), b.in.handlers)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\twall\tto bare\tCPU\tto bare\tat most\tmemory\t")
	for _, s := range b.subjects {
		costs, base := b.costs[s.name], b.costs[s.base]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d MiB\t\n", s.name,
			milliseconds(median(costs, wall)), ratio(costs, base, wall),
			milliseconds(median(costs, cpu)), ratio(costs, base, cpu), goal(s), int64(median(costs, memory))>>20)
	}
	return w.Flush()
}

func wall(c cost) float64   { return float64(c.wall) }
func cpu(c cost) float64    { return float64(c.cpu) }
func memory(c cost) float64 { return float64(c.memory) }

func milliseconds(d float64) string { return fmt.Sprintf("%.0f ms", d/float64(time.Millisecond)) }

func goal(s subject) string {
	if s.goal == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", s.goal)
}

// ratio is the median of what each round took more than its bare load.
func ratio(costs, base []cost, of func(cost) float64) string {
	if len(base) == 0 {
		return ""
	}
	ratios := make([]float64, len(costs))
	for i := range costs {
		ratios[i] = of(costs[i]) / of(base[i])
	}
	return fmt.Sprintf("%.2f", middle(ratios))
}

func median(costs []cost, of func(cost) float64) float64 {
	values := make([]float64, len(costs))
	for i, c := range costs {
		values[i] = of(c)
	}
	return middle(values)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	if len(values) == 0 {
		return 0
	}
	return values[len(values)/2]
}
