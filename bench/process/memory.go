package process

import "runtime"

// memory is what the process occupies, in MiB: all of it that the system counts, or else what Go has asked for.
func memory() float64 {
	if m := residentMiB(); m > 0 {
		return m
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / (1 << 20)
}

// heapAndStacks are what is in use after a collection, in MiB.
func heapAndStacks() (heap, stacks float64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20), float64(m.StackInuse) / (1 << 20)
}
