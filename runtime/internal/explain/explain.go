package explain

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Mode is how Postgres plans a prepared statement: plan_cache_mode.
type Mode string

// Modes.
const (
	Custom  Mode = "force_custom_plan"  // for its arguments
	Generic Mode = "force_generic_plan" // for any
)

// TheWholeTable stands in the place of an index where all rows are read.
const TheWholeTable = "the whole table"

// Indexes returns the indexes that a statement's plan uses, in order, and the plan for people. table is whose reading as a whole
// counts too. args are the statement's arguments as SQL, "" if it has none. conn must be nobody else's: its settings change.
func Indexes(ctx context.Context, conn *pgx.Conn, mode Mode, table, sql, args string) (used []string, plan string, err error) {
	if _, err := conn.Exec(ctx, `SELECT set_config('plan_cache_mode', $1, false)`, string(mode)); err != nil {
		return nil, "", err
	}
	if _, err := conn.Exec(ctx, `PREPARE explained AS `+sql); err != nil {
		return nil, "", err
	}
	execute := `EXPLAIN (FORMAT JSON) EXECUTE explained`
	if args != "" {
		execute += `(` + args + `)`
	}
	var raw []byte
	if err := conn.QueryRow(ctx, execute, pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		return nil, "", err
	}
	if _, err := conn.Exec(ctx, `DEALLOCATE explained`); err != nil {
		return nil, "", err
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal(raw, &plans); err != nil {
		return nil, "", err
	}
	for _, p := range plans {
		used = append(used, p.Plan.indexes(table)...)
	}
	slices.Sort(used)
	return slices.Compact(used), string(raw), nil
}

// node is what a plan says about how it gets at rows.
type node struct {
	Type     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Index    string `json:"Index Name"`
	Plans    []node `json:"Plans"`
}

func (n node) indexes(table string) (used []string) {
	switch {
	case n.Type == "Seq Scan" && n.Relation == table:
		used = append(used, TheWholeTable)
	case n.Index != "":
		used = append(used, n.Index)
	}
	for _, child := range n.Plans {
		used = append(used, child.indexes(table)...)
	}
	return used
}
