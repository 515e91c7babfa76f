package model

// RuntimePath is the import path of the package that people write their handlers with.
const RuntimePath = "github.com/idem-go/idem/runtime"

// FaultTestPath is the import path of the package that generated tests call.
const FaultTestPath = RuntimePath + "/faulttest"

// Runtime is every package of the runtime that all generated code may import, with its name. Kinds import further ones.
var Runtime = map[string]string{RuntimePath: "runtime"}

// elsewhere is which of those packages has a name that generated code is written with, where it is not [RuntimePath].
var elsewhere = map[string]string{}

// RuntimePackage is the import path of the package that has a name of the runtime: of a type or a function.
func RuntimePackage(name string) string {
	if path, found := elsewhere[name]; found {
		return path
	}
	return RuntimePath
}
