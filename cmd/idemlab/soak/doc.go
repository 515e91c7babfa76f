// Package soak runs workers under faults for as long as one likes, and tells whether an effect was lost or doubled.
//
// The workers are child processes on a throwaway Postgres that writes to the disk as a production server does. Each
// reaches it through a proxy of its own, which can hold back either direction. A feeder enqueues all the time. A seed
// decides which fault hits whom and when. What must hold is asked of the database in SQL, by the business's own
// identities and not by idem's keys; what the workers report on their pipes is compared with it.
package soak
