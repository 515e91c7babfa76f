package golangci

import (
	"fmt"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/idem-go/idem/lint"
)

func init() { register.Plugin("idem", New) }

// Settings are what linters.settings.custom.idem.settings may hold.
type Settings struct {
	Enable  []string `json:"enable"`  // the only rules to run; none means all
	Disable []string `json:"disable"` // rules not to run
	Config  string   `json:"config"`  // the file with the project's own sources and sinks, instead of .idemvet
}

type plugin struct{ settings Settings }

// New makes the plugin from its settings. Unknown ones are refused.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Concat(s.Enable, s.Disable) {
		if !slices.ContainsFunc(lint.Analyzers, func(a *analysis.Analyzer) bool { return a.Name == name }) {
			return nil, fmt.Errorf("idem: there is no rule %q", name)
		}
	}
	return &plugin{s}, nil
}

// BuildAnalyzers returns the rules that the settings choose.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	var list []*analysis.Analyzer
	for _, a := range lint.New(&lint.Options{Config: p.settings.Config}) {
		wanted := len(p.settings.Enable) == 0 || slices.Contains(p.settings.Enable, a.Name)
		if wanted && !slices.Contains(p.settings.Disable, a.Name) {
			list = append(list, a)
		}
	}
	return list, nil
}

// GetLoadMode says that the rules need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
