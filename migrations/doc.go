// Package migrations brings the tables of idem's runtime into a database: [Up], [Down], [Status], and [Print] for teams who
// apply SQL with a tool of their own.
//
// The SQL files are embedded. Everything lives in one schema, [DefaultSchema] unless another is named, and is recorded there
// in the table migrations, one row per applied version. What Print gives records itself in the same way, so that both ways
// can be mixed.
//
// Each version is applied in a transaction of its own, by goose. Any number of processes may run Up at the same time: one
// works, the others wait for it and then find nothing to do. A pooler in transaction mode may stand in between.
package migrations
