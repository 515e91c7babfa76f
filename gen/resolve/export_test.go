package resolve

// ResolveFound is for the tests in package resolve_test.
var ResolveFound = resolveFound
