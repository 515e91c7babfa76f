//go:build !linux

package process

// residentMiB is known on Linux only.
func residentMiB() float64 { return 0 }
