// Package golangci is the rules of idem as a module plugin of golangci-lint. It is a module of its own, so
// that idem does not depend on golangci-lint.
//
// Name it in .custom-gcl.yml and build with golangci-lint custom:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/idem-go/idem/lint/golangci
//	    version: latest
//
// and turn it on in .golangci.yml:
//
//	linters:
//	  enable: [idem]
//	  settings:
//	    custom:
//	      idem:
//	        type: module
//	        settings:
//	          disable: [missingconflict]
//
// A directive //nolint:idem silences all rules on a line; //idem:ignore one, with a reason.
package golangci
