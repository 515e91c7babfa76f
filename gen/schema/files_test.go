package schema_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-go/idem/gen/schema"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestNextNumber(t *testing.T) {
	for want, names := range map[string][]string{
		"00001":          nil,
		"00008":          {"00007_x.sql", "00002_y.sql"},
		"012":            {"011_tern.sql", "9_short.sql"},
		"10":             {"9_x.sql"},
		"000008":         {"000007_x.up.sql", "000007_x.down.sql"},
		"20260102150460": {"20260102150459_x.sql", "00007_x.sql"},
		"00004":          {"00003_goose.go", "00009_goose_test.go", "readme_00010.sql", "00011.sql", "x.txt"},
		"3":              {"V2__flyway.sql", "V1__first.sql"},
	} {
		files := map[string]string{}
		for _, name := range names {
			files[name] = ""
		}
		if got, err := schema.NextNumber(folder(t, files)); err != nil || got != want {
			t.Errorf("%v: got %s, %v, want %s", names, got, err, want)
		}
	}
	if got, err := schema.NextNumber(filepath.Join(t.TempDir(), "missing")); err != nil || got != "00001" {
		t.Errorf("missing folder: %s, %v", got, err)
	}
	if got, err := schema.NextNumber(folder(t, map[string]string{"99999999999999999999_x.sql": ""})); err == nil {
		t.Errorf("too large: %s", got)
	}
}

func TestDetect(t *testing.T) {
	for want, files := range map[schema.Format]map[string]string{
		schema.Plain:         {"1_x.sql": "SELECT 1;"},
		schema.Goose:         {"1_x.sql": "-- +goose Up\r\nSELECT 1;"},
		schema.GolangMigrate: {"1_x.up.sql": "SELECT 1;"},
	} {
		if got, err := schema.Detect(folder(t, files)); err != nil || got != want {
			t.Errorf("%v: got %s, %v", files, got, err)
		}
	}
	if got, err := schema.Detect(filepath.Join(t.TempDir(), "missing")); err != nil || got != schema.Plain {
		t.Errorf("missing folder: %s, %v", got, err)
	}
}

func TestFindDoesNotMindLineEnds(t *testing.T) {
	dir := folder(t, map[string]string{"1_x.sql": "a\r\nb\r\n", "2_y.txt": "a\nb\n"})
	if got, err := schema.Find(dir, "a\nb", nil); err != nil || got != "1_x.sql" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestFindPassesOverKnownFiles(t *testing.T) {
	dir := folder(t, map[string]string{"1_x.sql": "a", "2_x.sql": "a"})
	if got, err := schema.Find(dir, "a", func(name string) bool { return name == "1_x.sql" }); err != nil || got != "2_x.sql" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestMigrationFormats(t *testing.T) {
	changes := []schema.Change{
		{Table: "a", Comment: "a is new.", Up: "UP A;", Down: "DOWN A;"},
		{Table: "b", Comment: "b is new.", Up: "UP B ';' --;", Down: "DOWN B;"},
		{Table: "b", Comment: "b grows.", Up: "UP B2;", Down: "DOWN B2;"},
	}
	for format, want := range map[schema.Format][]schema.File{
		schema.Plain: {{
			Name: "7_idem_a_and_1_more.sql", Text: "-- a is new.\nUP A;\n\n-- b is new.\nUP B ';' --;\n\n-- b grows.\nUP B2;\n",
		}},
		schema.GolangMigrate: {
			{Name: "7_idem_a_and_1_more.up.sql", Text: "-- a is new.\nUP A;\n\n-- b is new.\nUP B ';' --;\n\n-- b grows.\nUP B2;\n"},
			{Name: "7_idem_a_and_1_more.down.sql", Text: "DOWN B2;\nDOWN B;\nDOWN A;\n"},
		},
		schema.Goose: {{
			Name: "7_idem_a_and_1_more.sql",
			Text: "-- +goose Up\n-- a is new.\nUP A;\n\n-- b is new.\n-- +goose StatementBegin\nUP B ';' --;\n-- +goose StatementEnd\n\n" +
				"-- b grows.\nUP B2;\n\n-- +goose Down\nDOWN B2;\nDOWN B;\nDOWN A;\n",
		}},
	} {
		if diff := cmp.Diff(want, schema.Migration(format, "7", changes)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", format, diff)
		}
	}
}

func TestMigrationNames(t *testing.T) {
	for table, want := range map[string]string{
		"ledger": "1_idem_ledger.sql", "billing.ledger": "1_idem_billing_ledger.sql", "outcome_test": "1_idem_outcome_test_table.sql",
		`"Odd ""name; --"`: "1_idem_odd_name.sql", `"表"`: "1_idem_table.sql", "../x": "1_idem_x.sql",
	} {
		if got := schema.Migration(schema.Plain, "1", []schema.Change{{Table: table}})[0].Name; got != want {
			t.Errorf("%s: got %s, want %s", table, got, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range schema.Formats {
		if got, err := schema.ParseFormat(string(f)); err != nil || got != f {
			t.Errorf("%s: %s, %v", f, got, err)
		}
	}
	if _, err := schema.ParseFormat("flyway"); err == nil {
		t.Error("flyway passes")
	}
}
