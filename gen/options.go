package gen

// Options are what a run is asked to do.
type Options struct {
	Dir      string   // what patterns are relative to; empty: the current folder
	Patterns []string // packages, as the go command names them; none: ./...
	// Migrations is the folder for migrations, relative to Dir; empty keeps what idem.lock says.
	Migrations string
	// MigrationsFormat is goose, golang-migrate or plain; empty keeps what idem.lock says.
	MigrationsFormat string
	// Tests says whether tests are generated; nil keeps what idem.lock says.
	Tests *bool
	// Renames gives up old names, of nodes and tables, for new ones.
	Renames map[string]string
}
