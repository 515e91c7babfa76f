package watermillsender_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/outbox/watermillsender"
)

// What a child process is told by its environment.
const (
	childURL   = "IDEM_TEST_WATERMILL_URL"
	childNATS  = "IDEM_TEST_WATERMILL_NATS"
	childPoint = "IDEM_TEST_WATERMILL_POINT" // where it reports, and stays
)

// childRelay is a relay in a process of its own. It ends with its parent.
func childRelay() {
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
		os.Exit(0)
	}()
	probe.Set(func(p probe.Point, _, _ string) {
		if string(p) == os.Getenv(childPoint) {
			fmt.Println("at", p)
			select {}
		}
	})
	if err := runChildRelay(); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

func runChildRelay() error {
	pool, err := pgxpool.New(context.Background(), os.Getenv(childURL))
	if err != nil {
		return err
	}
	publisher, err := natsPublisher(os.Getenv(childNATS))
	if err != nil {
		return err
	}
	sender, err := watermillsender.New(publisher, watermillsender.Config{})
	if err != nil {
		return err
	}
	r, err := NewEventRelay(pool, sender, quick())
	if err != nil {
		return err
	}
	return r.Run(context.Background())
}

// killRelay runs a relay process until it is at point, and kills it there.
func (b *bench) killRelay(nats string, point probe.Point) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childURL+"="+b.pool.Config().ConnString(), childNATS+"="+nats, childPoint+"="+string(point))
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // SIGKILL: nothing is cleaned up
		_ = cmd.Wait()
	}()
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		said <- line
	}()
	select {
	case line := <-said:
		if !strings.HasPrefix(line, "at ") {
			b.Fatalf("the child said %q", line)
		}
	case <-time.After(time.Minute):
		b.Fatal("the child never came to its point")
	}
}

// expire lets the lease of a dead relay run out, once the server has noticed that it is dead: it may have had a claim of
// it at hand.
func (b *bench) expire() {
	b.Helper()
	eventually(b.T, "the dead relay's sessions are gone", func() bool {
		return b.count(`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idem relay' AND datname = current_database()`) == 0
	})
	b.exec(`UPDATE events SET next_attempt_at = now(), claim_expires_at = now()`)
}
