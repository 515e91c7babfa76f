// Package cli is what idem's commands have in common: verbs with flags and help, what they talk to, and how an error
// becomes a message and an exit status. A verb's own work stays with its command.
package cli
