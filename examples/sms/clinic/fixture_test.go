package clinic

import (
	"crypto/sha256"

	"github.com/idem-go/idem/runtime/faulttest"
)

// The fault tests answer in the carrier's place: there is none behind these.
func newDesk() *Desk { return &Desk{Carrier: &Carrier{}} }

func remindFixture(*faulttest.F) (*Desk, ReminderInput) {
	return newDesk(), ReminderInput{Patient: "Ann", Phone: "+15550001", At: "9:30"}
}

func verifyFixture(*faulttest.F) (*Desk, CodeInput) {
	return newDesk(), CodeInput{Patient: "Ann", Phone: "+15550001", Code: "481 516"}
}

// cancelFixture has a reminder of an earlier run that the carrier has confirmed.
func cancelFixture(f *faulttest.F) (*Desk, CancelInput) {
	const run = "run_of_the_reminder"
	if f.First {
		request := []byte(`{"to":"+15550001","text":"Ann, your appointment is at 9:30."}`)
		digest := sha256.Sum256(request)
		for _, sql := range []string{
			`INSERT INTO idem.intents (key, run_id, node, provider, owner, request, request_digest, actor, reason, undoable)
			 VALUES ('call_1', '` + run + `', 'remind', 'send_sms', 'test', $1::json, $2::bytea, 'test', 'sent', true)`,
			`UPDATE idem.intents SET state = 'confirmed', receipt = '{"message_id":"m-1"}', settled_at = now(), epoch = epoch + 1
			 WHERE request::text = $1::text AND request_digest = $2::bytea`,
		} {
			if _, err := f.Pool.Exec(f.Context(), sql, request, digest[:]); err != nil {
				f.Fatal(err)
			}
		}
	}
	return newDesk(), CancelInput{Reminder: run}
}
