// Package lifecycle has the words for what becomes of a step: its states, the reasons for them, and the events that an
// observer is told of. It is the vocabulary of all other packages of the runtime, and depends on none of them. Package
// runtime returns these names to the public.
package lifecycle
