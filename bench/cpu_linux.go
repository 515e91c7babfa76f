package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of /proc: 1/100 s on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// processStat is what /proc/PID/stat says.
type processStat struct {
	parent   int
	own      time.Duration
	children time.Duration // of those that have ended
}

func statOf(pid int) (s processStat, ok bool) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return s, false
	}
	// The name of the program, in parentheses, may have anything in it.
	_, rest, found := cutLast(string(text), ")")
	fields := strings.Fields(rest)
	if !found || len(fields) < 15 {
		return s, false
	}
	ticks := func(i int) time.Duration {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return time.Duration(n) * tick
	}
	s.parent, _ = strconv.Atoi(fields[1])
	s.own, s.children = ticks(11)+ticks(12), ticks(13)+ticks(14)
	return s, true
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func parentOf(pid int) int {
	s, _ := statOf(pid)
	return s.parent
}

// exactly is the CPU time of a process with one thread, to the nanosecond: many that do little would show no tick at all.
func exactly(pid int, ticks time.Duration) time.Duration {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "schedstat"))
	if err != nil {
		return ticks
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil || n == 0 {
		return ticks
	}
	return time.Duration(n)
}

// treeCPU is the CPU time of a process and its children, also of those that have ended. None has more than one thread.
func treeCPU(pid int) (total time.Duration) {
	if pid == 0 {
		return 0
	}
	dirs, _ := os.ReadDir("/proc")
	for _, dir := range dirs {
		p, err := strconv.Atoi(dir.Name())
		if err != nil {
			continue
		}
		switch s, ok := statOf(p); {
		case !ok:
		case p == pid:
			total += exactly(p, s.own) + s.children
		case s.parent == pid:
			total += exactly(p, s.own)
		}
	}
	return total
}

// processesCPU is the CPU time of processes that are still there.
func processesCPU(pids []int) (total time.Duration) {
	for _, pid := range pids {
		s, _ := statOf(pid)
		total += s.own
	}
	return total
}

// ownCPU is this process's CPU time.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// machineTime is the CPU time of all processors.
type machineTime struct{ total, idle time.Duration }

func machineCPU() (m machineTime) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		// user nice system idle iowait irq softirq steal; what follows is part of these.
		if i < 1 || i > 8 {
			continue
		}
		n, _ := strconv.ParseInt(field, 10, 64)
		m.total += time.Duration(n) * tick
		if i == 4 || i == 5 {
			m.idle += time.Duration(n) * tick
		}
	}
	return m
}
