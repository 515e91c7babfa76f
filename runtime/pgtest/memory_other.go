//go:build unix && !linux

package pgtest

const memory = ""

func roomInMemory() bool { return false }
