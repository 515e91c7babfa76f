package probe

// The points of a command's way out of the database.
const (
	RelayAfterClaim Point = "relay.after_claim"
	RelayBeforeSend Point = "relay.before_send"
	RelayAfterSend  Point = "relay.after_send"
)
