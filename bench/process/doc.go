// Package process is a worker process of the measurements: what it is told, what it reports, and what it does. Bench
// starts the program in the folder worker, and speaks to it by its standard input and output.
//
// That program is apart from bench, and links idem and pgx alone, as a team's worker would: bench itself has all the
// peers in it, which would count as memory of a worker.
package process
