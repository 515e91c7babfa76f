// Package failure has the errors of the runtime, and the judgement whose fault an error of the database is. It is the
// only place that knows SQLSTATEs. Package runtime gives its errors to the public under the same names.
//
// The rule that everything here serves: what is not the handler's fault costs no attempt, and an outcome that is not
// known is never taken for one that is.
package failure
