package ledger

// Command is what a relay sends.
//
//idem:outbox table=commands to=URL body=Payload
type Command struct {
	URL     string
	Payload []byte
}
