// Package pgtest gives tests and demonstrations a Postgres of their own, and leaves nothing of it behind.
//
// [New] hands a test a fresh, empty database; with [Migrated] it is a copy of a template that is built once per process:
//
//	func TestCharge(t *testing.T) {
//		pool := pgtest.New(t, pgtest.Migrated("payments", migrate))
//		...
//	}
//
// # Where the server comes from
//
// The first of these that is there:
//
//  1. the server that the environment variable IDEM_DATABASE_URL names. Databases are created there under names of their
//     own (idem_test_…) and dropped again; nothing else on that server is touched. Its role needs the CREATEDB right;
//  2. server binaries on this machine: on the PATH, in /usr/lib/postgresql, from Homebrew or Postgres.app;
//  3. binaries that are downloaded once, and cached, by github.com/fergusstrange/embedded-postgres.
//
// In the last two cases one server per process is started when the first test asks for it. It listens on a Unix socket in
// a temporary directory, so that any number of test processes can run at once. That directory is in TMPDIR when it is set;
// else in memory where there is room, as on Linux with a large /dev/shm; else in /tmp. When the process is root, the server runs
// as the user postgres, or else nobody: Postgres refuses to run as root.
//
// # What stays behind
//
// Nothing, however the process ends. A shell watches a pipe that only this process holds open: when it closes, by a normal
// exit, a panic, Ctrl-C or SIGKILL, the shell stops the server and removes its directory.
//
// On a server of the user's, databases are dropped when their test ends. Templates, and the databases of a killed process,
// are dropped by the next process that comes along, or by [Close] in a TestMain.
//
// # Programs and fault tests
//
// [Start] is for programs, and [Own] for tests that stop, crash and restart their server. Tests hand over their
// *testing.T as a [TB]: the package itself does without the package testing.
package pgtest
