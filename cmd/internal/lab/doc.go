// Package lab is what the command idem and the program idemlab agree on: the verbs demo and soak with their help, their
// flags and what of these makes no sense. The command explains and checks them by itself; only what they do takes
// idemlab, which it builds and starts.
package lab

// Program is the package of the program that does what the verbs ask for.
const Program = "github.com/idem-go/idem/cmd/idemlab"
