package faulttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime"
)

// snapshot is what the database holds: the rows of each table, and two lists that are shown like tables.
type snapshot map[string][]row

// What a step leaves in the runtime's table, as lists of their own.
const (
	followUps = "enqueued steps"
	outputs   = "the step's output"
)

// row is one row, its columns in order. A column of JSON is taken apart, so that its values are compared one by one.
type row []field

type field struct {
	name  string // of the column; inside JSON the path, as in input.items[0].sku
	value string // as JSON
}

func (r row) get(name string) (string, bool) {
	for _, f := range r {
		if f.name == name {
			return f.value, true
		}
	}
	return "", false
}

// catalog lists the tables that are compared.
type catalog struct {
	tables []table
}

type table struct {
	name     string   // for people
	sql      string   // quoted
	key      []string // the primary key's columns
	ids      []string // columns whose values the database makes up: other rows refer to them
	volatile []string // columns that the database fills with the time, or makes up
}

const sqlCatalog = `SELECT n.nspname, c.relname,
  COALESCE((SELECT array_agg(a.attname::text ORDER BY array_position(i.indkey::int2[], a.attnum))
    FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = c.oid AND i.indisprimary), '{}'),
  COALESCE((SELECT array_agg(a.attname::text) FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND (a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) ~* 'nextval\(|uuid')), '{}'),
  COALESCE((SELECT array_agg(a.attname::text) FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = c.oid AND NOT a.attisdropped
      AND pg_get_expr(d.adbin, d.adrelid) ~* 'now\(|current_(date|time)|local_?time|_timestamp\(|timeofday|random'), '{}')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'idem', '` + harnessSchema + `') AND n.nspname !~ '^pg_'
ORDER BY n.nspname = 'public' DESC, n.nspname, c.relname`

func readCatalog(ctx context.Context, pool *pgxpool.Pool, ignore []string) (*catalog, error) {
	rows, err := pool.Query(ctx, sqlCatalog)
	if err != nil {
		return nil, err
	}
	c := &catalog{}
	seen := map[string]bool{}
	var schema, name string
	var key, ids, clocks []string
	_, err = pgx.ForEachRow(rows, []any{&schema, &name, &key, &ids, &clocks}, func() error {
		t := table{name: name, sql: pgx.Identifier{schema, name}.Sanitize(), key: key, ids: ids, volatile: append(clocks, ids...)}
		if schema != "public" {
			t.name = schema + "." + name
		}
		seen[t.name] = true
		if !slices.Contains(ignore, t.name) {
			c.tables = append(c.tables, t)
		}
		key, ids, clocks = nil, nil, nil
		return nil
	})
	for _, name := range ignore {
		if !seen[name] {
			err = errors.Join(err, fmt.Errorf("there is no table %q to ignore", name))
		}
	}
	return c, err
}

const (
	sqlFollowUps = `SELECT row_to_json(t)::text FROM (SELECT run_id, node, queue,
  CASE WHEN state IN ('pending', 'running') THEN 'open' ELSE state END AS state, input
  FROM "idem".steps WHERE (run_id, node) <> ($1::text, $2::text)) t`
	sqlOutput = `SELECT row_to_json(t)::text FROM (SELECT output FROM "idem".steps
  WHERE run_id = $1::text AND node = $2::text AND output IS NOT NULL) t`
)

// read takes a snapshot. Rows that somebody has locked are read as they were committed; a table that is locked
// as a whole is an error.
func (c *catalog) read(ctx context.Context, pool *pgxpool.Pool, run runtime.Run) (snapshot, error) {
	b := &pgx.Batch{}
	b.Queue(`SELECT set_config('lock_timeout', '5s', true)`)
	var names []string
	for _, t := range c.tables {
		names = append(names, t.name)
		b.Queue(`SELECT row_to_json(t)::text FROM ` + t.sql + ` t`)
	}
	names = append(names, followUps, outputs)
	b.Queue(sqlFollowUps, run.ID, run.Node)
	b.Queue(sqlOutput, run.ID, run.Node)
	s := snapshot{}
	br := pool.SendBatch(ctx, b)
	_, err := br.Exec()
	for _, name := range names {
		if err != nil {
			break
		}
		var rows pgx.Rows
		if rows, err = br.Query(); err == nil {
			s[name], err = pgx.CollectRows(rows, scanRow)
		}
	}
	return s, errors.Join(err, br.Close())
}

func scanRow(r pgx.CollectableRow) (row, error) {
	var text string
	if err := r.Scan(&text); err != nil {
		return nil, err
	}
	return flatten(text)
}

// flatten takes JSON apart, in its order.
func flatten(text string) (row, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var r row
	err := flattenValue(dec, "", &r)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return r, err
}

func flattenValue(dec *json.Decoder, path string, r *row) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	open, nested := token.(json.Delim)
	if !nested {
		*r = append(*r, field{path, scalar(token)})
		return nil
	}
	before := len(*r)
	for i := 0; dec.More(); i++ {
		inner := fmt.Sprintf("%s[%d]", path, i)
		if open == '{' {
			name, err := dec.Token()
			if err != nil {
				return err
			}
			inner = strings.TrimPrefix(path+"."+name.(string), ".")
		}
		if err := flattenValue(dec, inner, r); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	if len(*r) == before && path != "" {
		*r = append(*r, field{path, map[json.Delim]string{'{': "{}", '[': "[]"}[open]})
	}
	return nil
}

func scalar(token json.Token) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(token) // text, number, bool or null
	return strings.TrimSpace(b.String())
}
