// Package finding keeps what the oracles of a soak have found.
package finding
