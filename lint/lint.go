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

// judging are all rules but the one about directives that silence them.
var judging = []*rule.Rule{
	attemptkey.Rule,
	freshkey.Rule,
	unstablekey.Rule,
	partialkey.Rule,
	ambiguouskey.Rule,
	keytoolong.Rule,
	missingconflict.Rule,
	conflicttarget.Rule,
	nonidempotentupsert.Rule,
	payloadoverwrite.Rule,
	effectintx.Rule,
	txcontrol.Rule,
	txescape.Rule,
	wrongexec.Rule,
	slowtx.Rule,
	directive.Rule,
}

// rules are all, in the order of the documentation.
var rules = append(judging[:len(judging):len(judging)], badignore.New(judging))

// Analyzers are the rules, in the order of the documentation. Their options are their flags.
var Analyzers = rule.Default.Analyzers(rules)

// Options are what the rules have in common. What a single rule can be told is a flag of its analyzer.
type Options struct {
	// Config names the file with a project's own lines of the table. Without it the file [ConfigFile] is looked for
	// above each package.
	Config string
	// AttemptNames makes the rules take fields and parameters for attempts that are only called so, in code whose
	// framework the table does not know. The flag names of attemptkey sets it too.
	AttemptNames bool
	// Everything makes packages outside of the main module be looked at too. A driver that hands the analyzers only the
	// packages that were asked for sets it.
	Everything bool
}

// New returns the rules with options of their own, which are read when a package is analyzed. Analyzers of several calls
// do not influence each other; a driver takes those of one call in a run, as they share facts.
func New(o *Options) []*analysis.Analyzer {
	return rule.NewSuite((*flow.Options)(o)).Analyzers(rules)
}

// Severity says how sure a finding of a rule is a mistake: "error" or "warning".
func Severity(name string) string {
	for _, r := range rules {
		if r.Name == name {
			return string(r.Severity)
		}
	}
	return ""
}

// ConfigFile is the name of the file with a project's own lines.
const ConfigFile = flow.ConfigFile

// ConfigError says what is wrong with a line of a project's own.
type ConfigError = known.LineError
