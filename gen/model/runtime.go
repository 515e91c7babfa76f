package model

// The packages of the runtime that generated code imports. People write their handlers with the first one; the second one has
// what only generated code calls; the third one, what generated tests call.
const (
	RuntimePath   = "github.com/idem-go/idem/runtime"
	ImplPath      = RuntimePath + "/idemimpl"
	FaultTestPath = RuntimePath + "/faulttest"
)

// Runtime is every package of the runtime that all generated code may import, with its name. Kinds import further ones.
var Runtime = map[string]string{RuntimePath: "runtime", ImplPath: "idemimpl"}

// impl are the names of [ImplPath] that generated code is written with. All others are of [RuntimePath].
var impl = map[string]bool{
	"Effect": true, "OrDefault": true, "NonZero": true, "Array": true,
	"JSON": true, "ScanJSON": true,
	"Text": true, "ScanText": true, "OptText": true, "OptScanText": true,
	"UUID": true, "ScanUUID": true, "OptUUID": true, "OptScanUUID": true,
	"Uint64": true, "ScanUint64": true, "OptUint64": true, "OptScanUint64": true,
}

// RuntimePackage returns the import path of the package that has a name of the runtime: of a type or a function.
func RuntimePackage(name string) string {
	if impl[name] {
		return ImplPath
	}
	return RuntimePath
}
