// Package golden_test tries the fault tests that idem generates: those of handlers with a mistake, in the module mutants,
// must fail, each with the reason, and those of their corrected twins must pass.
package golden_test
