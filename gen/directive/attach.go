package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// Placed is a directive with what it stands on: a function, a type, a var declaration, or the package clause of a file.
type Placed struct {
	*Directive
	Func *ast.FuncDecl
	Type *ast.TypeSpec
	Vars *ast.GenDecl
	File *ast.File         // of the package clause
	Doc  *ast.CommentGroup // the comment that the directive is a line of
}

// File finds the directives of a file and the declarations that they stand on, in source order. The
// file must have been parsed with its comments. All mistakes are reported.
func (r Registry) File(fset *token.FileSet, file *ast.File, report Reporter) []Placed {
	places := map[*ast.CommentGroup]place{}
	places[file.Doc] = place{file: file, what: "the package clause"}
	for _, decl := range file.Decls {
		placesOf(decl, places)
	}
	delete(places, nil) // of all that has no comment
	var found []Placed
	for _, group := range file.Comments {
		var first *Directive
		for _, comment := range group.List {
			d := r.Parse(comment, report)
			switch {
			case d == nil:
			case first != nil:
				report(d.Pos, "several-directives", "keep one of them", fmt.Sprintf("a declaration takes one directive, and this one has //idem:%s already", first.Spec.Name))
			default:
				first = d
				if p, ok := attach(fset, file, group, places, d, report); ok {
					found = append(found, p)
				}
			}
		}
	}
	return found
}

// place is what a comment belongs to.
type place struct {
	fn   *ast.FuncDecl
	typ  *ast.TypeSpec
	vars *ast.GenDecl
	file *ast.File
	what string // names it for people
}

func placesOf(decl ast.Decl, places map[*ast.CommentGroup]place) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		places[decl.Doc] = place{fn: decl, what: "func " + decl.Name.Name}
	case *ast.GenDecl:
		p := place{what: genDeclName(decl)}
		if decl.Tok == token.VAR {
			p.vars = decl
		}
		places[decl.Doc] = p
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p := place{typ: spec, what: "type " + spec.Name.Name}
				places[spec.Doc] = p
				if !decl.Lparen.IsValid() {
					places[decl.Doc] = p
				}
				fieldPlaces(spec, places)
			case *ast.ValueSpec:
				places[spec.Doc] = place{what: decl.Tok.String() + " " + spec.Names[0].Name}
			}
		}
	}
}

func genDeclName(decl *ast.GenDecl) string {
	if decl.Lparen.IsValid() {
		return "a group of " + decl.Tok.String() + " declarations"
	}
	switch spec := decl.Specs[0].(type) {
	case *ast.ValueSpec:
		return decl.Tok.String() + " " + spec.Names[0].Name
	case *ast.TypeSpec:
		return "type " + spec.Name.Name
	}
	return "an " + decl.Tok.String() + " declaration"
}

func fieldPlaces(spec *ast.TypeSpec, places map[*ast.CommentGroup]place) {
	ast.Inspect(spec.Type, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			p := place{what: "a field of type " + spec.Name.Name}
			places[field.Doc], places[field.Comment] = p, p
		}
		return true
	})
}

func attach(fset *token.FileSet, file *ast.File, group *ast.CommentGroup, places map[*ast.CommentGroup]place, d *Directive, report Reporter) (Placed, bool) {
	p, ok := places[group]
	if !ok {
		reportLoose(fset, file, group, d, report)
		return Placed{}, false
	}
	if why := d.Spec.refuses(p); why != "" {
		report(d.Pos, "wrong-target", "put it directly above a "+d.Spec.On.String(), fmt.Sprintf("//idem:%s stands on %s", d.Spec.Name, why))
		return Placed{}, false
	}
	return Placed{Directive: d, Func: p.fn, Type: p.typ, Vars: p.vars, File: p.file, Doc: group}, true
}

// refuses says what a directive stands on when it may not stand there.
func (s *Spec) refuses(p place) string {
	why := p.what
	for _, on := range s.On {
		switch {
		case on == Func && p.fn != nil, on == Vars && p.vars != nil, on == Package && p.file != nil:
			return ""
		case on == Struct && p.typ != nil:
			form := notAStruct(p.typ.Type)
			if form == "" {
				return ""
			}
			why = p.what + ", " + form
		}
	}
	return why
}

// notAStruct names the form of a type that cannot be a struct; a type that only its name is known of
// can be one.
func notAStruct(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return notAStruct(expr.X)
	case *ast.InterfaceType:
		return "an interface"
	case *ast.MapType:
		return "a map"
	case *ast.ArrayType:
		return "a slice or array"
	case *ast.FuncType:
		return "a function type"
	case *ast.ChanType:
		return "a channel"
	case *ast.StarExpr:
		return "a pointer"
	}
	return ""
}

// reportLoose reports a directive in a comment that documents nothing.
func reportLoose(fset *token.FileSet, file *ast.File, group *ast.CommentGroup, d *Directive, report Reporter) {
	line := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
	fix := "put it directly above a " + d.Spec.On.String()
	for _, decl := range file.Decls {
		switch {
		case decl.Pos() <= group.Pos() && group.End() <= decl.End():
			report(d.Pos, "wrong-target", fix, fmt.Sprintf("//idem:%s stands inside %s", d.Spec.Name, declName(decl)))
			return
		case decl.End() <= group.Pos() && line(decl.End()) == line(group.Pos()):
			report(d.Pos, "wrong-target", fix, fmt.Sprintf("//idem:%s stands behind %s", d.Spec.Name, declName(decl)))
			return
		case group.End() <= decl.Pos():
			if mayBear(decl, d.Spec) {
				fix = "remove what is between them"
			}
			report(d.Pos, "detached-directive", fix, fmt.Sprintf("a blank line or another comment separates //idem:%s from %s", d.Spec.Name, declName(decl)))
			return
		}
	}
	report(d.Pos, "detached-directive", fix, fmt.Sprintf("//idem:%s stands on no declaration", d.Spec.Name))
}

// mayBear reports whether a directive may stand on a declaration.
func mayBear(decl ast.Decl, s *Spec) bool {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return slices.Contains(s.On, Func)
	case *ast.GenDecl:
		return decl.Tok == token.VAR && slices.Contains(s.On, Vars) ||
			decl.Tok == token.TYPE && !decl.Lparen.IsValid() && slices.Contains(s.On, Struct)
	}
	return false
}

func declName(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return "func " + decl.Name.Name
	case *ast.GenDecl:
		return genDeclName(decl)
	}
	return "a declaration"
}
