package sqltext

import (
	"slices"
	"strconv"
	"strings"
)

// Statement is what is known of one statement.
type Statement struct {
	Verb    string // in upper case: INSERT, UPDATE, BEGIN, …
	Table   string // without its schema, "" when it is not known
	Columns []string
	// Binds leads from a column to the number of the placeholder that fills it, counted from 0. Several
	// rows of VALUES give several numbers.
	Binds    map[string][]int
	Named    map[string][]string // the same for placeholders with names: :key, @key
	Conflict *Conflict           // ON CONFLICT
	Guarded  bool                // another clause handles the conflict: ON DUPLICATE KEY, OR IGNORE, WHERE NOT EXISTS
	Set      []Assignment
	Where    []string // the words and placeholders of the WHERE clause
	Returns  bool
	Calls    []string // the names of the functions that it calls
	End      int      // offset behind its last token
}

// Conflict is an ON CONFLICT clause.
type Conflict struct {
	Target     []string // columns
	Start, End int      // offsets of the parenthesised target, 0 when there is none
	Constraint string
	Expression bool // the target has an expression, an operator class or a collation
	Partial    bool // the target has a predicate of its own
	Nothing    bool
	Where      []string // the words of the WHERE clause of DO UPDATE
}

// Assignment is one item of SET.
type Assignment struct {
	Column   string
	Tokens   []string // of the right side, words folded
	Relative bool     // it adds to, or takes from, its own column
	Incoming bool     // it stores a value of the statement: EXCLUDED.x, VALUES(x) or a placeholder
}

// Writes reports whether the statement changes rows.
func (s *Statement) Writes() bool {
	switch s.Verb {
	case "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "COPY", "TRUNCATE", "UPSERT":
		return true
	}
	return false
}

// Controls reports whether the statement begins or ends a transaction or a savepoint.
func (s *Statement) Controls() bool {
	switch s.Verb {
	case "BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "ABORT", "END", "PREPARE TRANSACTION":
		return true
	}
	return false
}

// Parse reads the statements of a text, also the writing ones inside WITH.
func Parse(text string) []*Statement {
	var found []*Statement
	tokens := tokenize(text)
	number := numbering(tokens)
	for len(tokens) > 0 {
		n := slices.IndexFunc(tokens, func(t token) bool { return t.is(";") })
		if n < 0 {
			n = len(tokens)
		}
		found = append(found, statements(tokens[:n], number)...)
		tokens = tokens[min(n+1, len(tokens)):]
	}
	return found
}

// numbering returns each placeholder, by its offset, the number of its argument. Those without a number
// or a name of their own are counted.
func numbering(tokens []token) map[int]int {
	number := map[int]int{}
	count := 0
	for _, t := range tokens {
		if t.kind != placeholder {
			continue
		}
		switch n, err := strconv.Atoi(t.text[1:]); {
		case t.text == "?":
			number[t.pos] = count
			count++
		case err == nil:
			number[t.pos] = n - 1
		default: // :name and @name have no number
			number[t.pos] = -1
		}
	}
	return number
}

// statements returns the statement that the tokens are, and before it those in its WITH clause.
func statements(tokens []token, number map[int]int) []*Statement {
	if len(tokens) == 0 {
		return nil
	}
	var found []*Statement
	if tokens[0].is("with") {
		rest := tokens
		for i := 1; i < len(tokens); i++ {
			if !tokens[i].is("(") {
				if isVerb(tokens[i]) {
					rest = tokens[i:]
					break
				}
				continue
			}
			end := closing(tokens, i)
			if i > 0 && (tokens[i-1].is("as") || tokens[i-1].is("materialized")) {
				found = append(found, statements(tokens[i+1:end], number)...)
			}
			i = end
		}
		tokens = rest
	}
	r := &reader{tokens: tokens, number: number, s: &Statement{Binds: map[string][]int{}, Named: map[string][]string{}}}
	r.read()
	return append(found, r.s)
}

func isVerb(t token) bool {
	return t.is("insert") || t.is("update") || t.is("delete") || t.is("merge") || t.is("select")
}

// closing returns the index of the parenthesis that closes the one at open, or the number of tokens.
func closing(tokens []token, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch {
		case tokens[i].is("("):
			depth++
		case tokens[i].is(")"):
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return len(tokens)
}

// reader reads one statement.
type reader struct {
	tokens []token
	number map[int]int
	at     int
	s      *Statement
}

func (r *reader) done() bool { return r.at >= len(r.tokens) }

func (r *reader) step() { r.at = min(r.at+1, len(r.tokens)) }

func (r *reader) peek() token {
	if r.done() {
		return token{}
	}
	return r.tokens[r.at]
}

// accept steps over the keywords if all of them come next.
func (r *reader) accept(words ...string) bool {
	for i, w := range words {
		if r.at+i >= len(r.tokens) || !r.tokens[r.at+i].is(w) {
			return false
		}
	}
	r.at += len(words)
	return true
}

func (r *reader) read() {
	first := r.peek()
	r.s.End = r.tokens[len(r.tokens)-1].end
	if first.kind != word {
		return
	}
	r.s.Verb = strings.ToUpper(first.text)
	r.step()
	r.s.Calls = calls(r.tokens)
	switch r.s.Verb {
	case "INSERT", "REPLACE":
		r.insert()
	case "UPDATE":
		r.accept("only")
		r.s.Table = r.table()
		r.set()
	case "DELETE":
		r.accept("from")
		r.accept("only")
		r.s.Table = r.table()
		r.where()
	case "COPY":
		r.s.Table = r.table()
		if !contains(r.tokens, "from") {
			r.s.Verb = "COPY TO"
		}
	case "TRUNCATE":
		r.accept("table")
		r.s.Table = r.table()
	case "CREATE":
		r.create()
	case "PREPARE":
		if r.accept("transaction") {
			r.s.Verb = "PREPARE TRANSACTION"
		}
	}
}

// create remembers the name of a temporary table.
func (r *reader) create() {
	if !r.accept("temp") && !r.accept("temporary") {
		return
	}
	if r.accept("table") {
		r.accept("if", "not", "exists")
		r.s.Verb, r.s.Table = "CREATE TEMP", r.table()
	}
}

// table reads a name with an optional schema, and steps over an alias.
func (r *reader) table() string {
	if !r.peek().name() {
		return ""
	}
	name := r.peek().text
	r.step()
	for r.peek().is(".") && r.at+1 < len(r.tokens) && r.tokens[r.at+1].name() {
		name = r.tokens[r.at+1].text
		r.at += 2
	}
	if r.accept("as") {
		r.step()
	}
	return strings.ToLower(name)
}

func (r *reader) insert() {
	if r.accept("or") {
		r.s.Guarded = r.peek().is("ignore") || r.peek().is("replace")
		r.step()
	}
	r.s.Guarded = r.s.Guarded || r.accept("ignore") || r.s.Verb == "REPLACE"
	r.accept("into")
	r.s.Table = r.table()
	if r.peek().kind == word && !r.peek().is("values") && !r.peek().is("select") && !r.peek().is("default") && !r.peek().is("overriding") {
		r.step() // an alias without AS
	}
	if r.peek().is("(") && !r.opensSelect() {
		end := closing(r.tokens, r.at)
		r.s.Columns = names(r.tokens[r.at+1 : end])
		r.at = min(end+1, len(r.tokens))
	}
	r.source()
	r.conflict()
}

func (r *reader) opensSelect() bool {
	return r.at+1 < len(r.tokens) && (r.tokens[r.at+1].is("select") || r.tokens[r.at+1].is("with"))
}

// source reads the rows: VALUES or a query. It stops before the clauses that follow.
func (r *reader) source() {
	start, depth := r.at, 0
	for ; !r.done(); r.at++ {
		switch t := r.peek(); {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0 && t.is("on") && r.at+1 < len(r.tokens) && (r.tokens[r.at+1].is("conflict") || r.tokens[r.at+1].is("duplicate")):
			r.rows(r.tokens[start:r.at])
			return
		case depth == 0 && t.is("returning"):
			r.rows(r.tokens[start:r.at])
			r.s.Returns = true
			return
		}
	}
	r.rows(r.tokens[start:])
}

// rows binds the columns to placeholders.
func (r *reader) rows(tokens []token) {
	for i := 0; i < len(tokens); i++ {
		switch {
		case tokens[i].is("values"):
			for i++; i < len(tokens) && tokens[i].is("("); i += 2 {
				end := closing(tokens, i)
				r.bind(tokens[i+1 : min(end, len(tokens))])
				i = end
				if i+1 >= len(tokens) || !tokens[i+1].is(",") {
					break
				}
			}
			return
		case tokens[i].is("select"):
			end := i + 1
			for depth := 0; end < len(tokens); end++ {
				if tokens[end].is("(") {
					depth++
				} else if tokens[end].is(")") {
					depth--
				} else if depth == 0 && (tokens[end].is("from") || tokens[end].is("where")) {
					break
				}
			}
			r.bind(tokens[i+1 : end])
			r.s.Guarded = r.s.Guarded || notExists(tokens[end:])
			return
		}
	}
}

func notExists(tokens []token) bool {
	for i := range tokens {
		if tokens[i].is("not") && i+1 < len(tokens) && tokens[i+1].is("exists") {
			return true
		}
	}
	return false
}

// bind reads one list of expressions. An expression that holds a single placeholder is filled by it.
func (r *reader) bind(tokens []token) {
	for i, expr := range split(tokens) {
		if i >= len(r.s.Columns) {
			return
		}
		var found []token
		for _, t := range expr {
			if t.kind == placeholder {
				found = append(found, t)
			}
		}
		if len(found) != 1 {
			continue
		}
		column := r.s.Columns[i]
		if n := r.number[found[0].pos]; n >= 0 {
			r.s.Binds[column] = append(r.s.Binds[column], n)
		} else {
			r.s.Named[column] = append(r.s.Named[column], found[0].text[1:])
		}
	}
}

// split cuts a list at the commas that stand outside of parentheses.
func split(tokens []token) [][]token {
	var list [][]token
	depth, start := 0, 0
	for i, t := range tokens {
		switch {
		case t.is("(") || t.is("["):
			depth++
		case t.is(")") || t.is("]"):
			depth--
		case depth == 0 && t.is(","):
			list = append(list, tokens[start:i])
			start = i + 1
		}
	}
	if start < len(tokens) {
		list = append(list, tokens[start:])
	}
	return list
}

// names returns the columns of a list; an element that is no plain column is left out.
func names(tokens []token) []string {
	var list []string
	for _, item := range split(tokens) {
		if len(item) > 0 && item[len(item)-1].name() {
			list = append(list, strings.ToLower(item[len(item)-1].text))
		}
	}
	return list
}

func (r *reader) conflict() {
	if r.accept("on", "duplicate") {
		r.s.Guarded = true
		return
	}
	if !r.accept("on", "conflict") {
		return
	}
	c := &Conflict{}
	r.s.Conflict = c
	switch {
	case r.accept("on", "constraint"):
		c.Constraint = r.table()
	case r.peek().is("("):
		end := closing(r.tokens, r.at)
		c.Start = r.tokens[r.at].pos
		if end < len(r.tokens) {
			c.End = r.tokens[end].end
		}
		r.target(r.tokens[r.at+1 : end])
		r.at = min(end+1, len(r.tokens))
		if r.peek().is("where") {
			c.Partial = true
		}
	}
	for !r.done() && !r.peek().is("do") {
		r.step()
	}
	r.accept("do")
	if r.accept("nothing") {
		c.Nothing = true
		r.s.Returns = r.s.Returns || contains(r.tokens[r.at:], "returning")
		return
	}
	r.accept("update")
	r.set()
	c.Where, r.s.Where = r.s.Where, nil
}

func (r *reader) target(tokens []token) {
	for _, item := range split(tokens) {
		if len(item) == 1 && item[0].name() {
			r.s.Conflict.Target = append(r.s.Conflict.Target, strings.ToLower(item[0].text))
		} else {
			r.s.Conflict.Expression = true
		}
	}
}

// set reads SET a = x, b = y and the WHERE clause behind it.
func (r *reader) set() {
	for !r.done() && !r.peek().is("set") {
		r.step()
	}
	if !r.accept("set") {
		return
	}
	start, depth := r.at, 0
	for ; !r.done(); r.at++ {
		t := r.peek()
		if t.is("(") {
			depth++
		} else if t.is(")") {
			depth--
		}
		if depth == 0 && (t.is("where") || t.is("returning") || t.is("from")) {
			break
		}
	}
	for _, item := range split(r.tokens[start:r.at]) {
		r.assign(item)
	}
	r.s.Returns = r.s.Returns || contains(r.tokens[r.at:], "returning")
	r.where()
}

func (r *reader) where() {
	for !r.done() && !r.peek().is("where") {
		r.step()
	}
	for ; !r.done() && !r.peek().is("returning"); r.at++ {
		r.s.Where = append(r.s.Where, r.peek().text)
	}
}

// assign reads one item of SET; (a, b) = (…) is not read.
func (r *reader) assign(item []token) {
	eq := slices.IndexFunc(item, func(t token) bool { return t.is("=") })
	if eq < 1 || !item[eq-1].name() {
		return
	}
	a := Assignment{Column: strings.ToLower(item[eq-1].text)}
	for _, t := range item[eq+1:] {
		a.Tokens = append(a.Tokens, t.text)
	}
	a.Relative = relative(a.Column, item[eq+1:])
	a.Incoming = incoming(item[eq+1:])
	r.s.Set = append(r.s.Set, a)
}

// relative reports whether an expression adds to, or takes from, the column itself. What picks one of
// several values, as GREATEST does, changes nothing when it is done again.
func relative(column string, expr []token) bool {
	self, sum := false, false
	for i, t := range expr {
		switch {
		case t.kind == word && (t.text == "greatest" || t.text == "least" || t.text == "case"):
			return false
		case t.name() && strings.EqualFold(t.text, column):
			self = self || !(i >= 2 && expr[i-1].is(".") && expr[i-2].is("excluded"))
		case t.is("+") || t.is("-"):
			sum = true
		}
	}
	return self && sum
}

func incoming(expr []token) bool {
	for i, t := range expr {
		if t.kind == placeholder || t.is("excluded") || t.is("values") && i+1 < len(expr) && expr[i+1].is("(") {
			return true
		}
	}
	return false
}

func contains(tokens []token, keyword string) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.is(keyword) })
}

// calls names what stands before a parenthesis.
func calls(tokens []token) []string {
	var list []string
	for i := 1; i < len(tokens); i++ {
		if tokens[i].is("(") && tokens[i-1].kind == word {
			list = append(list, tokens[i-1].text)
		}
	}
	return list
}
