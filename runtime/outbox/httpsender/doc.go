// Package httpsender sends the commands of an outbox over HTTP: each is one POST of the command's exact bytes.
//
// A request carries the command's id as idempotency-key and as webhook-id, the same at every send, and is signed in the
// form of the Standard Webhooks specification when there are secrets: a timestamp and a signature that are fresh for
// each send. During a rotation there are two secrets, and the request carries a signature of each.
//
// # What an answer means
//
//	2xx            confirmed: the answer is the receipt
//	3xx            parked: redirects are not followed, the destination has to be corrected
//	408, 425, 5xx  unknown: sent again, under the same id
//	409            unknown: the receiver is still busy with this id
//	422            quarantined: the receiver knows the id with another payload
//	429, 503       with Retry-After: sent again no earlier than that; without: unknown
//	other 4xx      rejected
//	no answer      unknown
//
// The status decides. What follows it is read up to a limit, and may be late, long or broken.
//
// # Where it connects to
//
// Destinations often come from customers. So a connection is made to public addresses only, and that is checked for the
// address that is dialled, after the name was resolved: https, on the ports 443 and 8443, and no proxy that the
// environment names. [Config] can allow more. A destination that is not allowed is rejected, before anything is sent.
package httpsender
