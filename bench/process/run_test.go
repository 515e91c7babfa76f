package process_test

import (
	"io"
	"strings"
	"testing"

	"github.com/idem-go/idem/bench/process"
)

func TestTaskMustBeKnown(t *testing.T) {
	for task, says := range map[string]string{"": process.TaskVariable, `{"Kind":"rest"}`: `"rest"`} {
		if err := process.Run(task, strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v", task, err)
		}
	}
}
