package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/idem-go/idem/lint/internal/known"
)

// Options say how packages are evaluated.
type Options struct {
	Config       string // names a file to read instead of looking for one
	AttemptNames bool   // fields and parameters that are only called as an attempt are sources too
	Everything   bool   // packages outside of the main module are worth a look too
}

// New returns an analyzer that evaluates a package as the options say when it runs. The rules require it; its result
// is a [Package].
func New(o *Options) *analysis.Analyzer {
	e := &evaluator{options: o}
	return &analysis.Analyzer{
		Name:             "idemflow",
		Doc:              "follow values to deduplication keys, statements and transactions, for the rules of idem",
		Run:              e.run,
		RunDespiteErrors: true,
		FactTypes:        []analysis.Fact{new(Summary), new(opened)},
		ResultType:       reflect.TypeFor[*Package](),
	}
}

// evaluator is what the packages of one analyzer have in common.
type evaluator struct {
	options *Options
	tables  tables
}

// Package is what is known of a package. In one that the gate keeps out, and in one that does not
// compile, there are no sinks and no statements.
type Package struct {
	Sinks      []*Sink
	Statements []*Statement
	Calls      []*Call   // the calls that matter to transactions
	Escapes    []*Escape // transactions and contexts that leave their handler

	pass      *analysis.Pass
	options   Options
	files     []*ast.File // without tests: nothing redelivers them
	table     *known.Table
	loops     []*Region // retry loops
	regions   []*Region
	ranges    map[token.Pos]*ast.RangeStmt
	entries   map[string][]*known.Entry
	effects   map[*types.Func]*Summary // what the syntax alone says of the package's functions
	summaries map[*types.Func]*Summary
	ssa       *ssa.Package
	syntax    map[*types.Func]*ast.FuncDecl
	globals   map[*ssa.Global]*Value
	units     []*unit
	seen      map[ast.Expr]bool // the sinks found
	places    map[token.Pos]ast.Node
	callbacks map[*ssa.Function]bool // functions that run within a transaction
}

func (e *evaluator) run(pass *analysis.Pass) (any, error) {
	p := &Package{
		pass: pass, options: *e.options, ranges: map[token.Pos]*ast.RangeStmt{}, entries: map[string][]*known.Entry{},
		effects: map[*types.Func]*Summary{}, summaries: map[*types.Func]*Summary{}, syntax: map[*types.Func]*ast.FuncDecl{},
		globals: map[*ssa.Global]*Value{}, callbacks: map[*ssa.Function]bool{}, seen: map[ast.Expr]bool{},
	}
	for _, file := range pass.Files {
		if !strings.HasSuffix(pass.Fset.File(file.FileStart).Name(), "_test.go") {
			p.files = append(p.files, file)
		}
	}
	if len(p.files) == 0 || pass.TypesInfo == nil || !p.inScope() {
		return p, nil
	}
	table, err := e.tables.of(p)
	if err != nil {
		return nil, err
	}
	p.table = table
	p.index()
	p.findEffects()
	if len(pass.TypeErrors) == 0 && p.isOpen() {
		p.findRegions()
		p.build()
		p.evaluate()
	}
	p.export()
	return p, nil
}

// index finds the functions and the range loops.
func (p *Package) index() {
	for _, file := range p.files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if f, ok := p.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					p.syntax[f] = decl
				}
			}
		}
	}
}

// build makes the SSA form.
func (p *Package) build() {
	prog := ssa.NewProgram(p.pass.Fset, ssa.GlobalDebug)
	for _, imported := range p.pass.Pkg.Imports() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	p.ssa = prog.CreatePackage(p.pass.Pkg, p.files, p.info(), false)
	p.ssa.Build()
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if r, ok := n.(*ast.RangeStmt); ok {
				p.ranges[r.For] = r
			}
			return true
		})
	}
}

// info is the type information without the variables of tests.
func (p *Package) info() *types.Info {
	if len(p.files) == len(p.pass.Files) {
		return p.pass.TypesInfo
	}
	info := *p.pass.TypesInfo
	info.InitOrder = slices.DeleteFunc(slices.Clone(info.InitOrder), func(init *types.Initializer) bool {
		return !slices.ContainsFunc(p.files, func(file *ast.File) bool {
			return within(init.Rhs.Pos(), file.FileStart, file.FileEnd+1)
		})
	})
	return &info
}

// evaluate runs over all functions, those that are called first, and then looks for what the rules ask.
func (p *Package) evaluate() {
	p.initialise()
	for _, f := range p.functions() {
		p.Summary(f)
	}
	for _, u := range p.units {
		u.find()
	}
	p.propagate()
	p.sort()
}

// functions returns the package's functions in source order.
func (p *Package) functions() []*types.Func {
	var list []*types.Func
	for _, file := range p.files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if f, ok := p.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// initialise evaluates the package's variables. Of one that is assigned again nothing is known.
func (p *Package) initialise() {
	init := p.ssa.Func("init")
	if init == nil {
		return
	}
	assigned := map[*ssa.Global]int{}
	var count func(fn *ssa.Function)
	count = func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if s, ok := instr.(*ssa.Store); ok {
					if g, ok := s.Addr.(*ssa.Global); ok {
						assigned[g]++
					}
				}
			}
		}
		for _, anon := range fn.AnonFuncs {
			count(anon)
		}
	}
	for f := range p.syntax {
		if fn := p.ssa.Prog.FuncValue(f); fn != nil {
			count(fn)
		}
	}
	count(init)
	u := p.newUnit(init)
	u.evaluate()
	p.units = append(p.units, u)
	for c, v := range u.cells {
		if g, ok := c.root.(*ssa.Global); ok && c.path == "" && assigned[g] == 1 {
			p.globals[g] = v
		}
	}
}

// global is what a package's variable holds.
func (p *Package) global(g *ssa.Global) *Value {
	if v := p.globals[g]; v != nil {
		return v
	}
	return unknown
}

// all returns the lines of the table for a symbol.
func (p *Package) all(symbol string) []*known.Entry {
	list, ok := p.entries[symbol]
	if !ok {
		list = p.table.All(symbol)
		p.entries[symbol] = list
	}
	return list
}

// known finds the line of a kind for a function.
func (p *Package) known(k known.Kind, f *types.Func) *known.Entry {
	if f == nil {
		return nil
	}
	for _, e := range p.all(known.OfFunc(f)) {
		if e.Kind == k {
			return e
		}
	}
	return nil
}

// knownType finds the line of a kind for a type.
func (p *Package) knownType(k known.Kind, t types.Type) *known.Entry {
	named := known.Named(t)
	if named == nil {
		return nil
	}
	for _, e := range p.all(known.OfType(named)) {
		if e.Kind == k {
			return e
		}
	}
	return nil
}

func (p *Package) rangeAt(pos token.Pos) ast.Node {
	if r := p.ranges[pos]; r != nil {
		return r
	}
	return p.rangeAround(pos)
}

// rangeAround finds the innermost range loop around a place.
func (p *Package) rangeAround(pos token.Pos) ast.Node {
	var best *ast.RangeStmt
	for _, r := range p.ranges {
		if within(pos, r.Pos(), r.End()) && (best == nil || r.Pos() > best.Pos()) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	return best
}

// sort puts what was found into the order of the source.
func (p *Package) sort() {
	slices.SortStableFunc(p.Sinks, func(a, b *Sink) int { return int(a.Expr.Pos()) - int(b.Expr.Pos()) })
	slices.SortStableFunc(p.Statements, func(a, b *Statement) int { return int(a.Call.Pos()) - int(b.Call.Pos()) })
	slices.SortStableFunc(p.Escapes, func(a, b *Escape) int { return int(a.pos) - int(b.pos) })
	slices.SortStableFunc(p.Calls, func(a, b *Call) int { return int(a.Syntax.Pos()) - int(b.Syntax.Pos()) })
}
