package process_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/idem-go/idem/bench/process"
)

// A worker process does nothing before its first order, and stops when its input ends.
func ExampleRun() {
	task, err := json.Marshal(process.Task{Kind: process.Work, URL: "postgres://localhost/measured"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(task))
	fmt.Println(process.Run(string(task), strings.NewReader(""), os.Stdout))
	// Output:
	// {"Kind":"work","URL":"postgres://localhost/measured","Claims":0}
	// <nil>
}
