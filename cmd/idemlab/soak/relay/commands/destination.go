package commands

import "fmt"

// The destinations of one receiver. The first one is slow.
const (
	destinations = 8
	SlowPath     = "/to/0"
)

func destination(receiver string, n int64) string {
	return fmt.Sprintf("%s/to/%d", receiver, n%destinations)
}

func fastDestination(receiver string, n int64) string {
	return destination(receiver, 1+n%(destinations-1))
}
