// Package vet runs the rules of package lint over packages, as idem vet does.
//
// Only the packages that are asked for, and what they import of the same module, are read from source;
// everything else comes from the go command's export data. So a run costs little more than the rules.
package vet
