package faulttest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	goruntime "runtime"
	"strings"
	"sync"
	"time"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/internal/wire"
)

// kills are deaths of the worker's process, by SIGKILL. A process gets no more than three files on Windows.
func kills() []*fault {
	if goruntime.GOOS == "windows" {
		return nil
	}
	dies := func(name string, point probe.Point, runs int) *fault {
		return &fault{
			name: name, want: want{reclaims: 1, runs: exactly(runs)},
			play: func(tr *trial) {
				tr.playKill(point)
				tr.expire()
				tr.work(sweeping)
				tr.wait()
			},
		}
	}
	return []*fault{
		dies("killed after the claim", probe.ClaimAfterCommit, 1),
		dies("killed before the write", probe.HandlerStart, 1),
		dies("killed after the write, before the commit", probe.CompleteBeforeFence, 2),
		{
			name: "killed during the commit, which the server makes",
			play: (*trial).playKillDuringCommit,
		}, {
			name: "killed after the commit",
			play: func(tr *trial) {
				if tr.enqueued() && tr.kill(probe.CommitAfter) {
					tr.fire()
					tr.idle()
				}
			},
		}, {
			name:   "killed at every run, until the limit",
			limits: func(l *limits) { l.reclaims = new(2) },
			play:   (*trial).playKilledAlways,
			want:   want{state: runtime.StateDiscarded, reason: runtime.ReasonReclaimLimit, reclaims: 2, runs: exactly(3)},
		},
	}
}

// playKill enqueues the step and kills its worker at a point before the commit.
func (tr *trial) playKill(point probe.Point) {
	if tr.enqueued() && tr.kill(point) {
		tr.fire()
		tr.unseen("while its worker was dead")
	}
}

func (tr *trial) playKilledAlways() {
	if !tr.enqueued() {
		return
	}
	for range 3 {
		if !tr.kill(probe.CompleteBeforeFence) {
			return
		}
		tr.unseen("while its worker was dead")
		tr.expire()
	}
	tr.fire()
	tr.work(sweeping)
	tr.wait()
}

// playKillDuringCommit kills the worker while it waits for the answer to its commit.
func (tr *trial) playKillDuringCommit() {
	if !tr.enqueued() {
		return
	}
	proxy := tr.wires()
	var once sync.Once
	proxy.Observe(func(r wire.Request) {
		if wire.Statement(completeSQL)(r) {
			once.Do(func() { proxy.PauseReplies() }) // for good
		}
	})
	c := tr.spawn(task{URL: proxy.URL()})
	defer c.kill()
	if !tr.until(func() bool { return tr.look().State == runtime.StateCompleted || c.failed() != "" }) || c.failed() != "" {
		tr.problem("the worker process did not complete the step %s", c.failed())
		return
	}
	c.kill()
	tr.fire()
	tr.idle()
}

// kill starts a worker process, and kills it where it is at the point.
func (tr *trial) kill(point probe.Point) bool { return tr.killAt(task{Point: point}) }

// killAt starts a process with a task, and kills it where it stops.
func (tr *trial) killAt(k task) bool {
	k.URL = tr.url
	c := tr.spawn(k)
	defer c.kill()
	select {
	case <-c.at:
		return true
	case <-c.ended:
		tr.problem("the worker process ended before it was to be killed: %s", c.failed())
	case <-time.After(tr.patience()):
		tr.problem("the worker process never came to %s%s", k.Point, k.Stop.Key)
	}
	return false
}

// process is a worker process: this test binary, with another task.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer // open as long as we live
	output output
	at     chan struct{} // closed when it has come to its point
	ended  chan struct{} // closed when it is gone
	killed sync.Once

	mu   sync.Mutex
	said string // why it cannot work
}

// spawn starts a worker process for a task, which has no more than what is particular to it.
func (tr *trial) spawn(k task) *process {
	p := &process{at: make(chan struct{}), ended: make(chan struct{})}
	k.Test, k.Node, k.Run, k.Ledger = tr.test, tr.node, tr.run, tr.ledger.URL()
	if err := p.start(k, tr.ran); err != nil {
		p.said = err.Error()
		close(p.ended)
	}
	tr.tb.Cleanup(p.kill)
	return p
}

func (p *process) start(k task, ran func()) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	spec, err := json.Marshal(k)
	if err != nil {
		return err
	}
	lines, report, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = report.Close() }()
	p.cmd = exec.Command(self, "-test.run="+only(k.Test), "-test.count=1", "-test.timeout=5m")
	p.cmd.Env = append(os.Environ(), childEnv+"="+string(spec))
	p.cmd.ExtraFiles = []*os.File{report}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return errors.Join(err, lines.Close())
	}
	if err := p.cmd.Start(); err != nil {
		return errors.Join(err, lines.Close())
	}
	go p.read(lines, ran)
	return nil
}

// only is the pattern that picks one test, or subtest, by its name.
func only(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// read follows what the process reports, to its end.
func (p *process) read(lines io.ReadCloser, ran func()) {
	defer close(p.ended)
	defer func() { _ = lines.Close() }()
	for s := bufio.NewScanner(lines); s.Scan(); {
		switch line := s.Text(); {
		case line == lineRuns:
			ran()
		case line == lineAt:
			close(p.at)
		case strings.HasPrefix(line, lineFail):
			p.mu.Lock()
			p.said = line
			p.mu.Unlock()
		}
	}
	_ = p.cmd.Wait()
}

// failed says why the process cannot work; "" as long as it seems to.
func (p *process) failed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
		return fmt.Sprintf("%s\n%s", p.said, p.output.String())
	default:
		return ""
	}
}

// kill ends the process by SIGKILL, and waits for it to be gone.
func (p *process) kill() {
	p.killed.Do(func() {
		if p.cmd != nil && p.cmd.Process != nil {
			_ = p.cmd.Process.Kill()
		}
	})
	<-p.ended
}

// output keeps the beginning of what a process prints.
type output struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	const most = 4 << 10
	o.text = append(o.text, b[:min(len(b), most-len(o.text))]...)
	return len(b), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// ran counts an execution of the handler in another process.
func (tr *trial) ran() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.runs++
}
