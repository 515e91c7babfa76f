// Package commit completes a worker's steps: as a group, alone, or within the transaction that their handler wrote through.
//
// Steps that finish while another commit is under way are committed together, as many as are waiting: their writes, by table,
// one fenced update of their rows, and the commit travel in one round trip. What the database refuses of one step is never
// another's: the group is sent again without it.
package commit
