// Package right has the corrected twins of the handlers in package wrong.
package right
