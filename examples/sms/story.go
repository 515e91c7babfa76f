package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/idem-go/idem/examples/sms/carrier"
	"github.com/idem-go/idem/examples/sms/clinic"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

// story lets the clinic and its carrier play what the program shows, and tells it.
type story struct {
	out      io.Writer
	carrier  *carrier.Carrier
	client   *runtime.Client
	operator *provider.Operator
}

func (s *story) say(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format+"\n", args...) }

func (s *story) tell(ctx context.Context) error {
	s.say("A clinic sends text messages by a carrier, whose answers get lost.")
	reminder, err := s.found(ctx)
	if err != nil {
		return err
	}
	if err := s.takenBack(ctx, reminder); err != nil {
		return err
	}
	return s.unknown(ctx)
}

// found is a lost answer that ends well. It returns the run that has sent the message.
func (s *story) found(ctx context.Context) (runtime.Run, error) {
	s.say("\n1. The answer is lost, and the message is found")
	s.carrier.LoseAnswer()
	run, err := clinic.DeskRemindAction.Enqueue(ctx, s.client, clinic.ReminderInput{Patient: "Ann", Phone: "+1 555 0001", At: "9:30"}, runtime.WithKey("", "appointment-1"))
	if err != nil {
		return run, err
	}
	if _, err := s.client.Wait(ctx, run); err != nil {
		return run, err
	}
	call, err := s.intent(ctx, run, known)
	if err != nil {
		return run, err
	}
	s.say("   The carrier sent the reminder, and the connection broke before its answer")
	s.say("   The step waited, and looked its key up before anything was sent again")
	return run, s.tally(ctx, run, call)
}

// takenBack is a compensation that is interrupted.
func (s *story) takenBack(ctx context.Context, reminder runtime.Run) error {
	s.say("\n2. The message is taken back, and that answer is lost as well")
	s.carrier.LoseAnswer()
	run, err := clinic.DeskCancelAction.Enqueue(ctx, s.client, clinic.CancelInput{Reminder: reminder.ID}, runtime.WithKey("", "appointment-1"))
	if err != nil {
		return err
	}
	if _, err := s.client.Wait(ctx, run); err != nil {
		return err
	}
	recall, err := s.intent(ctx, run, known)
	if err != nil {
		return err
	}
	s.say("   The carrier remembers keys for a day: the recall was sent again under the same one")
	if err := s.tally(ctx, run, recall); err != nil {
		return err
	}
	call, err := s.intent(ctx, reminder, known)
	if err != nil {
		return err
	}
	s.say("   The reminder's own call is %s now", call.State)
	return nil
}

// unknown is an outcome that stays unknown until an operator decides.
func (s *story) unknown(ctx context.Context) error {
	s.say("\n3. The answer is lost, there is no lookup, and the carrier remembers keys for three seconds")
	s.carrier.LoseAnswer()
	run, err := clinic.DeskVerifyAction.Enqueue(ctx, s.client, clinic.CodeInput{Patient: "Bob", Phone: "+1 555 0002", Code: "481 516"}, runtime.WithKey("", "code-1"))
	if err != nil {
		return err
	}
	call, err := s.intent(ctx, run, waitsForOperator)
	if err != nil {
		return err
	}
	if err := s.atRest(ctx, run); err != nil {
		return err
	}
	s.say("   Sending it again could send a second message: nothing is sent any more, and the step waits")
	if err := s.tally(ctx, run, call); err != nil {
		return err
	}
	s.say("   idem intents list shows it:")
	if err := s.list(ctx); err != nil {
		return err
	}
	return s.decide(ctx, run, call)
}

// decide is what an operator does who has found the message in the carrier's portal.
func (s *story) decide(ctx context.Context, run runtime.Run, call provider.Intent) error {
	receipt := fmt.Sprintf(`{"message_id":%q}`, s.carrier.Seen(call.Key).MessageID)
	const reason = "the carrier's portal has it"
	s.say("   An operator finds it in the carrier's portal, and says so:")
	s.say("     idem intents confirm %s --epoch %d --receipt '%s' --reason %q", call.Key, call.Epoch, receipt, reason)
	decision := provider.Decision{Key: call.Key, Epoch: call.Epoch, Actor: "carol", Reason: reason}
	if _, err := s.operator.Confirm(ctx, decision, []byte(receipt)); err != nil {
		return err
	}
	if _, err := s.client.Wait(ctx, run); err != nil {
		return err
	}
	call, err := s.intent(ctx, run, known)
	if err != nil {
		return err
	}
	return s.tally(ctx, run, call)
}

func known(in provider.Intent) bool { return !in.State.Open() }

// waitsForOperator is an intent of unknown outcome that was looked at again, and whose window is over.
func waitsForOperator(in provider.Intent) bool {
	return in.State == provider.StateUnknown && in.Checks > 1 && !in.WindowOpen
}

// intent waits until the call of a run is as it should be.
func (s *story) intent(ctx context.Context, run runtime.Run, ok func(provider.Intent) bool) (provider.Intent, error) {
	for pause := time.NewTicker(10 * time.Millisecond); ; <-pause.C {
		all, err := s.operator.List(ctx, provider.Filter{All: true, RunID: run.ID})
		if err != nil {
			return provider.Intent{}, err
		}
		if len(all) > 1 {
			return provider.Intent{}, errors.New("the run has several calls")
		}
		if len(all) == 1 && ok(all[0]) {
			return all[0], nil
		}
	}
}

// atRest waits until no worker is at the step of a run.
func (s *story) atRest(ctx context.Context, run runtime.Run) error {
	for pause := time.NewTicker(10 * time.Millisecond); ; <-pause.C {
		step, err := s.client.Status(ctx, run.ID, run.Node)
		if err != nil || step.State == runtime.StatePending {
			return err
		}
	}
}

// tally tells both sides' numbers: what the clinic knows about a call, and what the carrier has seen and done.
func (s *story) tally(ctx context.Context, run runtime.Run, in provider.Intent) error {
	_, events, err := s.operator.Show(ctx, in.Key)
	if err != nil {
		return err
	}
	step, err := s.client.Status(ctx, run.ID, run.Node)
	if err != nil {
		return err
	}
	var states []string
	for _, e := range events {
		if e.From != e.To {
			states = append(states, string(e.To))
		}
	}
	seen := s.carrier.Seen(in.Key)
	s.say("   %s", in.Key)
	s.say("     The clinic:  %s. Its step is %s, attempt %d", strings.Join(states, " -> "), step.State, step.Attempt)
	s.say("     The carrier: requests %d, lookups %d, effects %d", seen.Requests, seen.Lookups, seen.Effects)
	return nil
}

// list tells what is open, as idem intents list does.
func (s *story) list(ctx context.Context) error {
	open, err := s.operator.List(ctx, provider.Filter{})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "     key\tstate\tprovider\tnode\tsent\twindow")
	for _, in := range open {
		window := "open"
		if !in.WindowOpen {
			window = "over"
		}
		_, _ = fmt.Fprintf(w, "     %s\t%s\t%s\t%s\t%d\t%s\n", in.Key, in.State, in.Provider, in.Node, in.Dispatches, window)
	}
	return w.Flush()
}
