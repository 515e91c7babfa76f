// Package double lets a test take the place of the systems that handlers reach through providers and outboxes. In
// production a context carries no double, and looking for one is all that it costs. Only this module can set one.
package double
