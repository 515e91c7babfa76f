package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Sender sends a command once. It must end when ctx does, and must send nothing again by itself: what follows is the
// relay's decision. Send is called from many goroutines.
type Sender interface {
	Send(ctx context.Context, c Command) Outcome
}

// SenderFunc makes a function a [Sender].
type SenderFunc func(ctx context.Context, c Command) Outcome

// Send implements [Sender].
func (f SenderFunc) Send(ctx context.Context, c Command) Outcome { return f(ctx, c) }

// Outcome is what is known after a send. The zero value is an unknown one.
type Outcome struct {
	kind    outcomeKind
	receipt []byte
	err     error
	after   time.Duration
}

type outcomeKind int

const (
	kindUnknown outcomeKind = iota
	kindConfirmed
	kindRejected
	kindRetryAfter
	kindQuarantined
	kindParked
)

var kindNames = [...]string{"unknown", "confirmed", "rejected", "retry after", "quarantined", "parked"}

// Confirmed says that the receiver has taken the command. The receipt is its proof, and is stored with the command.
func Confirmed(receipt []byte) Outcome { return Outcome{kind: kindConfirmed, receipt: receipt} }

// Rejected says that the receiver has definitely refused the command, or that it must not be sent at all: it never
// will be again. The receipt is the receiver's answer, if there is one.
func Rejected(receipt []byte, err error) Outcome {
	return Outcome{kind: kindRejected, receipt: receipt, err: err}
}

// Unknown says that the command may have been taken or not. It is sent again later, under the same id.
func Unknown(err error) Outcome { return Outcome{kind: kindUnknown, err: err} }

// RetryAfter says that the receiver wants nothing before d is over. The command is sent again then, or later, and
// its destination gets nothing until then.
func RetryAfter(d time.Duration, err error) Outcome {
	return Outcome{kind: kindRetryAfter, after: max(d, 0), err: err}
}

// Quarantined says that the receiver knows the command's id with another payload. Somebody has to look at it.
func Quarantined(err error) Outcome { return Outcome{kind: kindQuarantined, err: err} }

// Parked says that the command cannot be sent as things are set up. It waits for somebody to put that right, and then
// for [Replay].
func Parked(err error) Outcome { return Outcome{kind: kindParked, err: err} }

// Err is what went wrong; nil for a confirmed command.
func (o Outcome) Err() error {
	if o.err == nil && o.kind != kindConfirmed {
		return errors.New("idem: the sender did not say what went wrong")
	}
	return o.err
}

// Receipt is the receiver's answer.
func (o Outcome) Receipt() []byte { return o.receipt }

// String returns the outcome in words.
func (o Outcome) String() string {
	switch {
	case o.kind == kindConfirmed:
		return kindNames[o.kind]
	case o.kind == kindRetryAfter:
		return fmt.Sprintf("%s %v: %v", kindNames[o.kind], o.after, o.Err())
	}
	return fmt.Sprintf("%s: %v", kindNames[o.kind], o.Err())
}
