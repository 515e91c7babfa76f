package wrong

import (
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

// Desk has what handlers reach for past their Context.
type Desk struct {
	Pool   *pgxpool.Pool
	Client *runtime.Client
	Folder string // for files

	served bool
}
