// Package carrier is the other side: an SMS carrier, as an HTTP server that counts what it is asked for and what it does,
// and loses answers when it is told to.
package carrier
