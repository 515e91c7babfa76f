package main

import (
	"bytes"
	_ "embed"
	"strings"
	"text/template"
)

//go:embed plot.svg.tmpl
var plotTemplate string

// The plot is a chart of horizontal bars for each group of measurements.
type plot struct {
	Width, Height int
	Charts        []chart
}

type chart struct {
	Title string
	Y     int
	Bars  []bar
}

type bar struct {
	Y, Length, End int
	Name, Text     string
	Idem           bool
}

const (
	plotWidth  = 900
	labelWidth = 260
	barHeight  = 20
	barLength  = 400
)

// plot draws the medians. A chart's longest bar has the largest figure of its unit.
func (r *report) plot() ([]byte, error) {
	p := plot{Width: plotWidth, Height: 16}
	for i := 0; i < len(r.Measurements); {
		group, _, _ := strings.Cut(r.Measurements[i].Name, "/")
		n := i
		for n < len(r.Measurements) && strings.HasPrefix(r.Measurements[n].Name, group+"/") {
			n++
		}
		p.add(group, r.Measurements[i:n])
		i = n
	}
	var out bytes.Buffer
	err := template.Must(template.New("plot").Parse(plotTemplate)).Execute(&out, p)
	return out.Bytes(), err
}

func (p *plot) add(group string, of []summary) {
	c := chart{Title: group, Y: p.Height + 16}
	y := c.Y + 10
	for _, s := range of {
		most := 0.0
		for _, other := range of {
			if other.Unit == s.Unit {
				most = max(most, other.Value)
			}
		}
		_, name, _ := strings.Cut(s.Name, "/")
		b := bar{Y: y, Name: name, Text: figure(s.Value) + " " + s.Unit, Idem: strings.HasPrefix(name, "idem")}
		if most > 0 {
			b.Length = int(s.Value / most * barLength)
		}
		if s.Ratio > 0 && s.Base != s.Name {
			_, base, _ := strings.Cut(s.Base, "/")
			b.Text += " (" + figure(s.Ratio) + " × " + base + ")"
		}
		b.End = labelWidth + b.Length + 6
		c.Bars = append(c.Bars, b)
		y += barHeight
	}
	p.Charts = append(p.Charts, c)
	p.Height = y + 12
}
