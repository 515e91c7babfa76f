// Package await is how measurements wait: until all of something is done, until what runs beside them has stopped, and
// for a time. Where what they wait for cannot come any more, they are told why.
package await
