// Package fault plans the faults of a soak and lets them happen in their time.
package fault
