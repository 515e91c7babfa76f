package lint

import (
	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint/ambiguouskey"
	"github.com/idem-go/idem/lint/attemptkey"
	"github.com/idem-go/idem/lint/badignore"
	"github.com/idem-go/idem/lint/conflicttarget"
	"github.com/idem-go/idem/lint/directive"
	"github.com/idem-go/idem/lint/effectintx"
	"github.com/idem-go/idem/lint/freshkey"
	"github.com/idem-go/idem/lint/internal/flow"
	"github.com/idem-go/idem/lint/internal/known"
	"github.com/idem-go/idem/lint/internal/rule"
	"github.com/idem-go/idem/lint/keytoolong"
	"github.com/idem-go/idem/lint/missingconflict"
	"github.com/idem-go/idem/lint/nonidempotentupsert"
	"github.com/idem-go/idem/lint/partialkey"
	"github.com/idem-go/idem/lint/payloadoverwrite"
	"github.com/idem-go/idem/lint/slowtx"
	"github.com/idem-go/idem/lint/txcontrol"
	"github.com/idem-go/idem/lint/txescape"
	"github.com/idem-go/idem/lint/unstablekey"
	"github.com/idem-go/idem/lint/wrongexec"
)

// rules are all but the one about directives that silence them.
var rules = []*analysis.Analyzer{
	attemptkey.Analyzer,
	freshkey.Analyzer,
	unstablekey.Analyzer,
	partialkey.Analyzer,
	ambiguouskey.Analyzer,
	keytoolong.Analyzer,
	missingconflict.Analyzer,
	conflicttarget.Analyzer,
	nonidempotentupsert.Analyzer,
	payloadoverwrite.Analyzer,
	effectintx.Analyzer,
	txcontrol.Analyzer,
	txescape.Analyzer,
	wrongexec.Analyzer,
	slowtx.Analyzer,
	directive.Analyzer,
}

// Analyzers are the rules, in the order of the documentation.
var Analyzers = append(rules[:len(rules):len(rules)], badignore.New(rules))

// Severity says how sure a finding of a rule is a mistake: "error" or "warning".
func Severity(name string) string { return string(rule.SeverityOf(name)) }

// SetConfig names the file with a project's own lines of the table. Without it the file [ConfigFile] is
// looked for above each package.
func SetConfig(path string) { flow.Config = path }

// UseAttemptNames makes the rules take fields and parameters for attempts that are only called so, in
// code whose framework the table does not know.
func UseAttemptNames() { flow.AttemptNames = true }

// ConfigFile is the name of the file with a project's own lines.
const ConfigFile = flow.ConfigFile

// AnalyzeEverything makes packages outside of the main module be looked at too. A driver that hands the
// analyzers only the packages that were asked for turns it on.
func AnalyzeEverything() { flow.Everything = true }

// ConfigError says what is wrong with a line of a project's own.
type ConfigError = known.LineError
