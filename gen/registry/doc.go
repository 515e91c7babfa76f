// Package registry lists the kinds of directives: adding one is a folder below gen/kind and a line here.
package registry
