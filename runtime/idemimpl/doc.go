// Package idemimpl is what generated code calls, and nobody else: the descriptions of tables ([Effect]), and the functions that
// turn field values into statement arguments and back. What people write by hand is in package runtime. Its API follows the
// generator: code that idem generate has written works with the version of this module that it was generated for, or a later
// one of the same major version.
package idemimpl
