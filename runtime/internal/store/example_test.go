package store_test

import (
	"fmt"

	"github.com/idem-go/idem/runtime/internal/store"
)

func ExampleIn() {
	fmt.Println(store.In("Jobs", `SELECT count(*) FROM "idem".steps`))
	// Output: SELECT count(*) FROM "Jobs".steps
}

func ExampleNewStatements() {
	sql := store.NewStatements("jobs")
	fmt.Println(sql.Version, sql.Channel)
	// Output: SELECT "jobs".schema_version() idem_jobs
}
