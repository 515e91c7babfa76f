package clinic

import (
	"fmt"

	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/provider"
)

// Desk has the handlers, which are methods so that they get at the carrier.
type Desk struct {
	Carrier *Carrier
}

// SentMessage is a message that the carrier has confirmed.
//
//idem:effect table=sent_messages
type SentMessage struct {
	Patient   string
	MessageID string
}

// ReminderInput asks for a reminder.
type ReminderInput struct {
	Patient string
	Phone   string
	At      string
}

// Remind reminds a patient of an appointment.
//
//idem:action remind timeout=10s fixture=remindFixture
func (d *Desk) Remind(ctx runtime.Context, in ReminderInput) error {
	receipt, err := d.Carrier.CallSendSMS(ctx, SMS{To: in.Phone, Text: fmt.Sprintf("%s, your appointment is at %s.", in.Patient, in.At)})
	if err != nil {
		return err // as it is: it tells the runtime to wait, to give up, or to try again
	}
	return RecordSentMessage(ctx, SentMessage{Patient: in.Patient, MessageID: receipt.MessageID})
}

// CancelInput names the run that has sent the reminder.
type CancelInput struct {
	Reminder string
}

// Cancel takes a reminder back.
//
//idem:action cancel timeout=10s fixture=cancelFixture
func (d *Desk) Cancel(ctx runtime.Context, in CancelInput) error {
	return d.Carrier.UndoSendSMS(ctx, provider.Of(in.Reminder, DeskRemindAction.Name()))
}

// CodeInput asks for a code.
type CodeInput struct {
	Patient string
	Phone   string
	Code    string
}

// Verify sends a code to a patient's phone.
//
//idem:action verify timeout=2s fixture=verifyFixture
func (d *Desk) Verify(ctx runtime.Context, in CodeInput) error {
	receipt, err := d.Carrier.CallSendCode(ctx, SMS{To: in.Phone, Text: "Your code is " + in.Code})
	if err != nil {
		return err
	}
	return RecordSentMessage(ctx, SentMessage{Patient: in.Patient, MessageID: receipt.MessageID})
}
