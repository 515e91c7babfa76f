// Package proxy stands between a process of a soak and its Postgres, so that a fault can hold back what one of them
// says to the other.
package proxy
