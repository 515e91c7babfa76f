package outbox_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/internal/probe"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

// What a child process is told by its environment.
const (
	childURL   = "IDEM_TEST_OUTBOX_URL"
	childPoint = "IDEM_TEST_OUTBOX_POINT" // where it reports, and stays
	childLease = "IDEM_TEST_OUTBOX_LEASE"
)

// childRelay is a relay of pings in a process of its own. It ends with its parent.
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
	sender, err := httpsender.New(httpsender.Config{AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		return err
	}
	cfg := quick()
	if cfg.Lease, err = time.ParseDuration(os.Getenv(childLease)); err != nil {
		return err
	}
	cfg.SendTimeout = cfg.Lease / 2
	cfg.Logger = slog.New(slog.DiscardHandler)
	r, err := NewPingRelay(pool, sender, cfg)
	if err != nil {
		return err
	}
	return r.Run(context.Background())
}

// spawn starts a relay process that stays at point, and waits until it is there.
func (b *bench) spawn(point probe.Point, lease time.Duration) (kill func()) {
	b.Helper()
	kill, lines := b.child(point, lease)
	select {
	case line := <-lines:
		if !strings.HasPrefix(line, "at ") {
			b.Fatalf("the child said %q", line)
		}
	case <-time.After(patience):
		b.Fatal("the child never came to its point")
	}
	return kill
}

// start starts a relay process that stops nowhere.
func (b *bench) start(lease time.Duration) (kill func()) {
	b.Helper()
	kill, _ = b.child("", lease)
	return kill
}

// child starts a relay process, and gives what ends it by SIGKILL, and what it says.
func (b *bench) child(point probe.Point, lease time.Duration) (kill func(), lines <-chan string) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childURL+"="+b.pool.Config().ConnString(), childPoint+"="+string(point), childLease+"="+lease.String())
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
	said := make(chan string, 1)
	go func() {
		defer close(said)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			said <- s.Text()
		}
	}()
	kill = func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill() // SIGKILL: nothing is cleaned up
			_ = cmd.Wait()
		}
	}
	b.Cleanup(kill)
	return kill, said
}

// gone waits until the server has noticed that a relay process is dead: it may have had a claim of it at hand.
func (b *bench) gone() {
	b.Helper()
	b.eventually("the dead relay's sessions are gone", func() bool {
		return b.count(`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idem relay' AND datname = current_database()`) == 0
	})
}

// expire lets the lease of a dead relay run out.
func (b *bench) expire() {
	b.Helper()
	b.gone()
	b.exec(`UPDATE pings SET next_attempt_at = now(), claim_expires_at = now()`)
}

// crash kills a relay process at point, with n sends seen by the receiver until then, and lets another relay go on once
// the claim's lease has run out.
func crash(t *testing.T, point probe.Point, sent int) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	b.queuePing("one", l.URL, 1)
	b.spawn(point, time.Minute)()
	before := b.only("pings")
	if before.State != string(outbox.StatePending) || before.Receipt != nil || before.Attempts != 1 {
		t.Errorf("after the crash the command is %+v", before)
	}
	l.is(t, sent, sent)

	b.gone()
	b.relay(NewPingRelay, post(t), quick())
	time.Sleep(150 * time.Millisecond) // several polls
	l.is(t, sent, sent)                // the lease of the dead relay still holds the command
	b.exec(`UPDATE pings SET next_attempt_at = now(), claim_expires_at = now()`)
	b.settled("pings", 1)
	after := b.only("pings")
	if after.State != string(outbox.StateDelivered) || after.ID != before.ID || !strings.Contains(string(after.Receipt), "receipt of "+after.ID) {
		t.Errorf("in the end the command is %+v", after)
	}
	l.is(t, sent+1, 1)
	for _, r := range l.seen("") {
		if r.ID != before.ID || string(r.Body) != string(l.seen("")[0].Body) {
			t.Errorf("a request has id %s and body %q", r.ID, r.Body)
		}
	}
}

func TestF47_RelayDiesAfterClaim(t *testing.T) { crash(t, probe.RelayAfterClaim, 0) }
func TestF47_RelayDiesBeforeSend(t *testing.T) { crash(t, probe.RelayBeforeSend, 0) }
func TestF48_RelayDiesAfterSend(t *testing.T)  { crash(t, probe.RelayAfterSend, 1) }

// The lease of a dead relay runs out by itself.
func TestF47_DeadRelaysLeaseRunsOut(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	b.queuePing("one", l.URL, 1)
	b.spawn(probe.RelayBeforeSend, 2*time.Second)()
	b.relay(NewPingRelay, post(t), quick())
	b.settled("pings", 1)
	l.is(t, 1, 1)
}

// A command that kills its relay each time is given up like one that fails each time.
func TestF64_CommandThatKillsItsRelay(t *testing.T) {
	t.Parallel()
	b, l := newBench(t), newLedger(t)
	b.queuePing("one", l.URL, 1)
	for range 2 {
		b.spawn(probe.RelayBeforeSend, time.Minute)()
		b.expire()
	}
	cfg := quick()
	cfg.MaxAttempts = 2
	b.relay(NewPingRelay, post(t), cfg)
	b.settled("pings", 1)
	if got := b.only("pings"); got.State != string(outbox.StateDead) || got.Attempts != 2 {
		t.Errorf("the command is %+v", got)
	}
	l.is(t, 0, 0)
	b.observed(outbox.EventDead, 1)
}
