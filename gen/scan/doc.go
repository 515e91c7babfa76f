// Package scan finds the packages that bear directives. The go command resolves the patterns, so that
// they mean what they mean to go build, and says which files belong to the build; a search for bytes
// in those files then leaves out the packages that never speak of idem. Tests and files of other builds
// are kept apart: nothing is generated for what stands there, and it is not gone. Nothing is parsed.
package scan
