// Package notify sends.
package notify

import (
	"context"
	"net/smtp"
)

// Customer sends a mail.
func Customer(ctx context.Context, id int64) error { return send("to") }

func send(to string) error { return smtp.SendMail("127.0.0.1:25", nil, "a", []string{to}, nil) }
