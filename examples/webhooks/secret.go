package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

// secrets are what the shop shares with its customers: each of them has one of his own.
type secrets map[string]string

func newSecrets(customers ...string) secrets {
	s := secrets{}
	for _, name := range customers {
		key := make([]byte, 24)
		_, _ = rand.Read(key) // it never fails
		s[name] = "whsec_" + base64.StdEncoding.EncodeToString(key)
	}
	return s
}

// of returns what a command is signed with. Its key is the customer: that is what the table keeps order by.
func (s secrets) of(_ context.Context, c outbox.Command) ([]httpsender.Secret, error) {
	text, known := s[c.Key]
	if !known {
		return nil, fmt.Errorf("customer %s has no secret", c.Key)
	}
	secret, err := httpsender.ParseSecret(text)
	return []httpsender.Secret{secret}, err
}
