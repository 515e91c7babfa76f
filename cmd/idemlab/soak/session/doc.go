// Package session talks to the Postgres of a soak past the proxies.
package session
