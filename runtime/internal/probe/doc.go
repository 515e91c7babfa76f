// Package probe names the points of a step's life at which a test may interfere. In production no
// hook is set and a point costs one atomic load. Only this module can set a hook.
package probe
