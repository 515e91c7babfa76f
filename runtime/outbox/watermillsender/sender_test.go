package watermillsender_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/watermillsender"
)

// publish makes a function a publisher.
type publish func(topic string, m *message.Message) error

func (p publish) Publish(topic string, messages ...*message.Message) error {
	for _, m := range messages {
		if err := p(topic, m); err != nil {
			return err
		}
	}
	return nil
}

func (publish) Close() error { return nil }

func newSender(t *testing.T, p message.Publisher, cfg watermillsender.Config) *watermillsender.Sender {
	t.Helper()
	s, err := watermillsender.New(p, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var command = outbox.Command{
	ID: "cmd_1", RunID: "run_1", Node: "place_order", Table: `"events"`, To: "orders", Key: "ann",
	Body: []byte("{\"a\":1,\x00\xff}  "), Attempt: 1,
}

// is checks an outcome by the beginning of its text.
func is(t *testing.T, o outbox.Outcome, want string) {
	t.Helper()
	if !strings.HasPrefix(o.String(), want) {
		t.Errorf("the outcome is %q, want %q", o, want)
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	var topics []string
	var messages []*message.Message
	p := publish(func(topic string, m *message.Message) error {
		topics, messages = append(topics, topic), append(messages, m)
		return nil
	})
	s := newSender(t, p, watermillsender.Config{Metadata: func(outbox.Command) message.Metadata {
		return message.Metadata{"content_type": "application/json", watermillsender.MetadataRunID: "forged", watermillsender.MetadataNode: "forged"}
	}})
	outside := command
	outside.ID, outside.Node, outside.Key = "cmd_2", "", ""
	again := command
	again.Attempt = 2
	for _, c := range []outbox.Command{command, again, outside} {
		o := s.Send(context.Background(), c)
		is(t, o, "confirmed")
		if got := string(o.Receipt()); got != `{"topic":"orders"}` {
			t.Errorf("the receipt is %s", got)
		}
	}
	want := message.NewMessage("cmd_1", command.Body)
	want.Metadata = message.Metadata{
		"content_type": "application/json", watermillsender.MetadataRunID: "run_1",
		watermillsender.MetadataNode: "place_order", watermillsender.MetadataKey: "ann",
	}
	if topics[0] != "orders" || !messages[0].Equals(want) || !messages[1].Equals(want) {
		t.Errorf("published %+v and %+v, want twice %+v", messages[0], messages[1], want)
	}
	want = message.NewMessage("cmd_2", command.Body)
	want.Metadata = message.Metadata{"content_type": "application/json", watermillsender.MetadataRunID: "run_1"}
	if !messages[2].Equals(want) {
		t.Errorf("published %+v, want %+v", messages[2], want)
	}
	for i, want := range []string{"ann", "ann", "cmd_2"} {
		if key, err := watermillsender.PartitionKey("orders", messages[i]); key != want || err != nil {
			t.Errorf("the partition key is %q, %v, want %q", key, err, want)
		}
	}
}

func TestTopic(t *testing.T) {
	t.Parallel()
	var topic string
	p := publish(func(to string, _ *message.Message) error { topic = to; return nil })
	s := newSender(t, p, watermillsender.Config{Topic: func(c outbox.Command) string { return "all." + c.To }})
	if is(t, s.Send(context.Background(), command), "confirmed"); topic != "all.orders" {
		t.Errorf("published to %q", topic)
	}
	topic = ""
	nowhere := command
	nowhere.To = ""
	if is(t, newSender(t, p, watermillsender.Config{}).Send(context.Background(), nowhere), "parked"); topic != "" {
		t.Errorf("published to %q", topic)
	}
}

// Whatever goes wrong says nothing about whether the broker has the message.
func TestFailuresAreUnknown(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]publish{
		"an error": func(string, *message.Message) error { return errors.New("unknown topic, rejected, invalid") },
		"a panic":  func(string, *message.Message) error { panic("broken") },
		"no end":   func(string, *message.Message) error { runtime.Goexit(); return nil },
	} {
		s := newSender(t, p, watermillsender.Config{})
		for range 2 { // the first leaves nothing behind
			o := s.Send(context.Background(), command)
			if is(t, o, "unknown"); o.Err() == nil || o.Receipt() != nil {
				t.Errorf("%s: %v, receipt %s", name, o, o.Receipt())
			}
		}
	}
}

// hanging is a publisher whose calls return when they are let go.
type hanging struct {
	calls   atomic.Int32
	release chan error
}

func (h *hanging) Publish(string, ...*message.Message) error {
	h.calls.Add(1)
	return <-h.release
}

func (h *hanging) Close() error { return nil }

// within sends with a deadline.
func within(s *watermillsender.Sender, id string, d time.Duration) outbox.Outcome {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	c := command
	c.ID = id
	return s.Send(ctx, c)
}

// inBackground sends without waiting for the outcome; when it returns, the send waits for the publisher.
func inBackground(s *watermillsender.Sender, id string) <-chan outbox.Outcome {
	answered := make(chan outbox.Outcome, 1)
	go func() { answered <- within(s, id, time.Hour) }()
	synctest.Wait()
	return answered
}

// A send ends with its deadline although Publish does not, and the next one waits for the same call.
func TestPublisherThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hanging{release: make(chan error)}
		s := newSender(t, h, watermillsender.Config{})
		for range 3 {
			o := within(s, "a", time.Minute)
			if is(t, o, "unknown"); !errors.Is(o.Err(), context.DeadlineExceeded) {
				t.Errorf("the outcome is %v", o)
			}
		}
		answered := inBackground(s, "a")
		h.release <- nil
		if is(t, <-answered, "confirmed"); h.calls.Load() != 1 {
			t.Errorf("published %d times, want once", h.calls.Load())
		}
		answered = inBackground(s, "a")
		h.release <- errors.New("gone")
		if is(t, <-answered, "unknown: gone"); h.calls.Load() != 2 {
			t.Errorf("published %d times, want twice: the first call has ended", h.calls.Load())
		}
	})
}

// The message has the send's context, for publishers that look at it.
func TestMessageHasTheSendsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		returned := false
		p := publish(func(_ string, m *message.Message) error {
			<-m.Context().Done()
			returned = true
			return m.Context().Err()
		})
		is(t, within(newSender(t, p, watermillsender.Config{}), "a", time.Minute), "unknown")
		if synctest.Wait(); !returned {
			t.Error("the publisher was not told")
		}
	})
}

// Calls that nobody waits for any more count: there is an end to them.
func TestCallsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hanging{release: make(chan error)}
		s := newSender(t, h, watermillsender.Config{MaxUnderWay: 2})
		is(t, within(s, "a", time.Minute), "unknown: idem: the publisher has not returned")
		is(t, within(s, "b", time.Minute), "unknown: idem: the publisher has not returned")
		is(t, within(s, "c", time.Minute), "unknown: idem: not sent, 2 calls")
		answered := inBackground(s, "c")
		for range 3 {
			h.release <- nil
		}
		if is(t, <-answered, "confirmed"); h.calls.Load() != 3 {
			t.Errorf("published %d times, want 3", h.calls.Load())
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := watermillsender.New(nil, watermillsender.Config{}); err == nil {
		t.Error("a sender without a publisher")
	}
	if _, err := watermillsender.New(publish(nil), watermillsender.Config{MaxUnderWay: -1}); err == nil {
		t.Error("a negative bound")
	}
}
