package faulttest

import "testing"

func childOf(*testing.T, *subject) bool { return false }

func kills() []*fault { return nil }
