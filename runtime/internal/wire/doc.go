// Package wire puts a proxy between a client and Postgres that counts round trips, loses a request or a reply at an exact
// point, and stops traffic for a while. It is for tests.
//
// The proxy follows the protocol closely enough to know what a client asks for. A [Request] is what the server answers as
// one: everything up to a Sync, or one simple query. Requests are what is counted, and what is cut:
//
//	p := wire.Start(t, url)
//	cut := p.CutReply(wire.Commit) // the server commits, and the client never learns of it
//	pool, err := pgxpool.New(ctx, p.URL())
//	...
//	<-cut.Fired()
//
// Logging in and cancelling pass through. TLS ends at the proxy: it speaks it to the server where the server's URL asks
// for it, and refuses it to clients, who are on the same machine.
package wire
