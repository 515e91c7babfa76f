// Command idemlab is what 'idem demo' and 'idem soak' do. The command idem builds it when one of them is asked for, starts
// it, and passes on what it is asked and what it says.
//
// It is a program of its own so that those who generate code do not link what these two verbs need: a Postgres server to
// fetch and start, the support of the tests, an example. It is built from the module that has idem, and is not a module
// beside it: so it is always of the command's own version, with no release of its own to keep in step; a clone needs no
// workspace for 'go run ./cmd/idem demo'; and 'go test ./...' covers it. The price is a go command where the verbs are
// used, which whoever generates Go code has.
package main
