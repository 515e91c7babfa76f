package resolve

import (
	"go/types"
)

// isDatabaseValue reports whether a type stores or reads itself through database/sql.
func isDatabaseValue(t types.Type) bool {
	return hasMethods(t, "Value") && isValuer(t) || hasMethods(t, "Scan") && isScanner(t)
}

func isValuer(t types.Type) bool {
	sig := methodSignature(t, "Value")
	return sig.Params().Len() == 0 && sig.Results().Len() == 2 && IsNamed(sig.Results().At(0).Type(), "database/sql/driver", "Value")
}

func isScanner(t types.Type) bool {
	sig := methodSignature(t, "Scan")
	return sig.Params().Len() == 1 && sig.Results().Len() == 1 && IsError(sig.Results().At(0).Type()) &&
		types.Identical(sig.Params().At(0).Type(), types.NewInterfaceType(nil, nil))
}

func methodSignature(t types.Type, name string) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	return obj.(*types.Func).Signature()
}
