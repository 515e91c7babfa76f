// Package sign refuses negative settings. In a configuration zero means the default, so that a negative number is nobody's
// way to say it: it is a mistake in a calculation, or meant something that there is not.
package sign
