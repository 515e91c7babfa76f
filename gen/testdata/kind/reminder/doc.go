// Package reminder is a kind that is made up: //idem:reminder stands on a struct whose values are rows that somebody is
// to look at later. A test registers it, and with that takes it through all stages; nothing else in the generator
// knows it. It is also the shortest kind that has something to say to each stage, to begin another one with.
package reminder
