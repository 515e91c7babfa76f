package vet

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/idem-go/idem/lint"
)

// The parts of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		URI   string      `json:"informationUri"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"`
		Help    sarifMessage `json:"help"`
		HelpURI string       `json:"helpUri"`
		Default sarifConfig  `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Index     int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

// WriteSARIF writes the findings as a SARIF log.
func WriteSARIF(w io.Writer, findings []Finding) error {
	run := sarifRun{
		Tool:    sarifTool{sarifDriver{Name: "idem vet", URI: "https://pkg.go.dev/github.com/idem-go/idem/lint"}},
		Results: []sarifResult{},
	}
	index := map[string]int{}
	for i, a := range lint.Analyzers {
		short, _, _ := strings.Cut(a.Doc, "\n")
		index[a.Name] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: a.Name, Short: sarifMessage{short}, Help: sarifMessage{a.Doc}, HelpURI: a.URL, Default: sarifConfig{lint.Severity(a.Name)},
		})
	}
	for _, f := range findings {
		run.Results = append(run.Results, sarifResult{
			Rule: f.Code, Index: index[f.Code], Level: f.Severity, Message: sarifMessage{f.Message},
			Locations: []sarifLocation{{Physical: physical(f)}}, Related: related(f),
		})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func physical(f Finding) sarifPhysical {
	return sarifPhysical{artifact(f.Pos.File), sarifRegion{f.Pos.Line, f.Pos.Column, f.End.Line, f.End.Column}}
}

func related(f Finding) []sarifLocation {
	var list []sarifLocation
	for _, r := range f.Related {
		list = append(list, sarifLocation{
			Physical: sarifPhysical{artifact(r.Pos.File), sarifRegion{StartLine: r.Pos.Line, StartColumn: r.Pos.Column}},
			Message:  &sarifMessage{r.Message},
		})
	}
	return list
}

// artifact names a file; a relative one is relative to the root of the sources.
func artifact(file string) sarifArtifact {
	if filepath.IsAbs(file) {
		return sarifArtifact{URI: "file://" + filepath.ToSlash(file)}
	}
	return sarifArtifact{URI: filepath.ToSlash(file), Base: "%SRCROOT%"}
}
