// Package unstablekey finds keys that depend on the order of a map or on an address.
//
// # unstablekey
//
// Go ranges over a map in another order each time, and an address is another one in each process. A
// key, or a hash, that is made of them is another one when the handler runs again.
//
// Bad:
//
//	for k, v := range labels {
//		raw += k + "=" + v + ";"
//	}
//	key := digest(raw)
//
// Good:
//
//	for _, k := range slices.Sorted(maps.Keys(labels)) {
//		raw += k + "=" + labels[k] + ";"
//	}
//	key := digest(raw)
//
// What is sorted in between, encoding/json and fmt, which sort the keys of maps, and sums that do not
// depend on the order are fine.
package unstablekey
