// Package customer is a customer's system: an HTTP endpoint that takes the shop's webhooks and books each of them once.
// It is a service of its own, with a database of its own, and knows nothing of the shop but the secret that the two share.
package customer
