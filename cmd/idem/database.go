package main

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/pflag"

	"github.com/idem-go/idem/cmd/internal/cli"
	"github.com/idem-go/idem/migrations"
)

// envDatabase is the variable that names the database. It is not IDEM_DATABASE_URL, which names the server
// of the tests.
const envDatabase = "DATABASE_URL"

// database is the flags that say where the runtime's tables are.
type database struct {
	url    string
	schema string
}

func (d *database) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&d.url, "database", "", "connection `URL` of the database (default: $"+envDatabase+")")
	d.addSchema(flags)
}

func (d *database) addSchema(flags *pflag.FlagSet) {
	flags.StringVar(&d.schema, "schema", migrations.DefaultSchema, "`schema` of the runtime's tables")
}

// open returns a pool on the database, which has not connected yet. What is wrong with a connection string is
// not quoted: it holds a password.
func (d *database) open(ctx context.Context, c *cli.Console, cmd *cli.Command) (*pgxpool.Pool, error) {
	url, from := d.url, "--database"
	if url == "" {
		url, from = c.Env(envDatabase), envDatabase
	}
	if url == "" {
		return nil, cmd.Usagef("which database? give --database URL, or set %s", envDatabase)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil || ambiguous(url) {
		return nil, cmd.Usagef("%s is no connection string of Postgres: write a postgres:// URL, with the special characters"+
			" of the password percent-encoded (%%40 for @, %%2F for /)", from)
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// ambiguous reports whether a part of the password would be taken for the host, and so be printed with it.
func ambiguous(url string) bool {
	_, rest, found := strings.Cut(url, "://")
	authority, _, _ := strings.Cut(rest, "?")
	return found && strings.Count(authority, "@") > 1
}
