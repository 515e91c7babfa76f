// Package demo shows on a throwaway Postgres what idem promises: it runs the handlers of the payments
// example over several worker processes, kills workers with SIGKILL while they work, and counts afterwards
// what the handlers left behind, by the business's own identities and not by idem's keys.
package demo
