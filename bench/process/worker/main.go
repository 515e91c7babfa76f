// Command worker is a worker process of the measurements. Bench builds and starts it; see package process.
package main

import (
	"fmt"
	"os"

	"github.com/idem-go/idem/bench/process"
)

func main() {
	if err := process.Run(os.Getenv(process.TaskVariable), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench worker:", err)
		os.Exit(1)
	}
}
