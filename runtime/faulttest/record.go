package faulttest

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

var reportFile = flag.String("idem.report", "",
	"write the tables of the fault tests to `FILE`.md and FILE.json; tables of other tests that are there stay")

// record puts a report into the files, in the place of an earlier one of the same test. Several test processes
// may do so at once.
func record(file string, r Report) error {
	unlock, err := lock(file + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	all, err := readReports(file + ".json")
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o Report) bool { return o.identity() == r.identity() })
	all = append(all, r)
	slices.SortFunc(all, func(a, b Report) int { return cmp.Compare(a.identity(), b.identity()) })
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(replace(file+".json", string(data)+"\n"), replace(file+".md", markdown(all)))
}

// identity tells the reports in a file apart.
func (r *Report) identity() string {
	return strings.Join([]string{r.Package, r.Test, r.Handler}, "\x00")
}

func readReports(file string) (all []Report, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s is not a report of fault tests; remove it, or name another file: %w", file, err)
	}
	return all, nil
}

// lock makes a file that only one process can have made. One that is old belongs to a process that is gone.
func lock(file string) (unlock func(), err error) {
	const old = 10 * time.Second
	for {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			return func() { _ = os.Remove(file) }, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > old {
			_ = os.Remove(file)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// replace writes a file aside and then renames it: a reader never sees half of it.
func replace(file, text string) error {
	aside := file + ".new"
	if err := os.WriteFile(aside, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(aside, file)
}

// markdown shows the reports as tables.
func markdown(all []Report) string {
	var b strings.Builder
	fired, wrong := 0, 0
	for _, r := range all {
		fired += r.Fired
		wrong += r.Wrong
	}
	fmt.Fprintf(&b, "# Fault tests\n\n%d handlers, %d faults, %d wrong.\n", len(all), fired, wrong)
	for _, r := range all {
		fmt.Fprintf(&b, "\n## %s\n\n`%s` of %s: %d faults, %d wrong.\n\n", r.Handler, r.Test, cmp.Or(r.Package, "?"), r.Fired, r.Wrong)
		fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(r.columns(), " | "), strings.Repeat(" --- |", len(r.columns())))
		for _, row := range r.Rows {
			cells := r.cells(row)
			for i := range cells {
				cells[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(cells[i])
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		}
		b.WriteString(r.problems())
	}
	return b.String()
}

// problems lists, below a table, what was wrong.
func (r *Report) problems() string {
	var b strings.Builder
	for _, row := range r.Rows {
		for _, p := range row.Problems {
			fmt.Fprintf(&b, "\n%s:\n\n```\n%s\n```\n", row.Fault, p)
		}
	}
	return b.String()
}
