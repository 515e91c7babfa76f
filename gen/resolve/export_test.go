package resolve

// For the tests in package resolve_test.
var (
	ResolveFound = resolveFound
	MayImport    = mayImport
)
