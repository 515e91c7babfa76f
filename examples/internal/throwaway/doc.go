// Package throwaway lets an example run with nothing set up: on databases of its own, which are gone when it ends. They
// are on the server that IDEM_DATABASE_URL names, else on one that is started for the example.
package throwaway
