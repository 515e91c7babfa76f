package faulttest

import (
	"fmt"
)

// refusals are conflicts that the database reports.
func refusals(written []table) []*fault {
	list := []*fault{
		{
			name: "a serialization failure at the commit",
			play: func(tr *trial) { tr.playRefused(`"idem".steps`, "40001", 1, true) },
			want: want{runs: span{1, 2}},
		},
	}
	for _, t := range written {
		list = append(list, &fault{
			name: "a serialization failure at a write to " + t.name,
			play: func(tr *trial) { tr.playRefused(t.sql, "40001", 1, false) },
			want: want{attempt: span{1, 2}, runs: span{1, 2}}, // a second one where the handler hides the code in its error
		}, &fault{
			name: "an error at a write to " + t.name,
			// Twice, as what is refused in a group is tried again alone.
			play: func(tr *trial) { tr.playRefused(t.sql, "P0001", 2, false) },
			want: want{attempt: span{2, 3}, runs: span{2, 3}},
		})
	}
	return list
}

// playRefused has the database refuse the first writes to a table. A sequence counts them, as it survives the rollback.
func (tr *trial) playRefused(table, code string, times int, atCommit bool) {
	timing, trigger := "BEFORE INSERT OR UPDATE OR DELETE", "FOR EACH STATEMENT"
	kind := "TRIGGER"
	if atCommit {
		kind, timing = "CONSTRAINT TRIGGER", "AFTER UPDATE"
		trigger = "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state = 'completed')"
	}
	if !tr.enqueued() {
		return
	}
	tr.exec(fmt.Sprintf(`CREATE SCHEMA %[1]s; CREATE SEQUENCE %[1]s.shots;
		CREATE FUNCTION %[1]s.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('%[1]s.shots') <= %[7]d THEN RAISE EXCEPTION 'faulttest: refused on purpose' USING ERRCODE = '%[2]s'; END IF;
			IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
			RETURN NEW; END $$;
		CREATE %[3]s idem_faulttest %[4]s ON %[5]s %[6]s EXECUTE FUNCTION %[1]s.refuse()`,
		harnessSchema, code, kind, timing, table, trigger, times))
	tr.work()
	tr.wait()
	var shots int
	if err := tr.pool.QueryRow(tr.ctx, `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM `+harnessSchema+`.shots`).Scan(&shots); err != nil {
		tr.problem("the fault cannot be read: %v", err)
	}
	if shots > 0 {
		tr.fire()
	}
}
