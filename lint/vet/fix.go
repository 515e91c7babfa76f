package vet

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
)

// Fix applies the fixes of the findings and returns the files that it changed, in their order. Of fixes
// that overlap it applies the first; another run applies the next.
func (r *Result) Fix() ([]string, error) {
	edits := r.edits()
	changed := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(edits)) { // the first error is the same each time
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out, err := r.apply(src, edits[name])
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(src, out) {
			changed[name] = out
		}
	}
	files := slices.Sorted(maps.Keys(changed))
	for _, name := range files {
		if err := os.WriteFile(name, changed[name], 0o666); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// edits returns the edits of each file. A fix whose edits touch those of a fix before is left out as a
// whole.
func (r *Result) edits() map[string][]edit {
	taken := map[string][]edit{}
	for _, f := range r.Findings {
		free := !slices.ContainsFunc(f.edits, func(e edit) bool {
			return slices.ContainsFunc(taken[e.file], func(t edit) bool { return t != e && e.start <= t.end && t.start <= e.end })
		})
		if !free {
			continue
		}
		for _, e := range f.edits {
			if !slices.Contains(taken[e.file], e) {
				taken[e.file] = append(taken[e.file], e)
			}
		}
	}
	return taken
}

// apply makes the edits, removes the imports that nobody uses any more, and formats the file.
func (r *Result) apply(src []byte, edits []edit) ([]byte, error) {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(src[at:])
	return r.tidy(src, out.Bytes())
}

func (r *Result) tidy(before, after []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", after, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	old, err := parser.ParseFile(token.NewFileSet(), "", before, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	used, was := names(file), names(old)
	cut := after
	for _, spec := range slices.Backward(file.Imports) {
		name := r.importName(spec)
		if used[name] || !was[name] {
			continue
		}
		start, end := fset.Position(spec.Pos()).Offset, fset.Position(spec.End()).Offset
		if start, end, ok := alone(fset, file, spec); ok {
			cut = slices.Concat(cut[:start], cut[end:])
			continue
		}
		cut = slices.Concat(cut[:start], cut[end:])
	}
	return format.Source(cut)
}

// alone returns the whole declaration of an import that is the only one in it.
func alone(fset *token.FileSet, file *ast.File, spec *ast.ImportSpec) (start, end int, ok bool) {
	for _, decl := range file.Decls {
		if gen, isGen := decl.(*ast.GenDecl); isGen && len(gen.Specs) == 1 && gen.Specs[0] == spec {
			return fset.Position(gen.Pos()).Offset, fset.Position(gen.End()).Offset, true
		}
	}
	return 0, 0, false
}

// names returns the names that a file selects from.
func names(file *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}

func (r *Result) importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	if name := r.imports[p]; name != "" {
		return name
	}
	return path.Base(p)
}
