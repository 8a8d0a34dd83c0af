// SPDX-License-Identifier: Apache-2.0

package mutations

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Most mutations go into one program together, which is built once. A variable says which of them is in force, none
// at zero (R. Untch, J. Offutt and M. Harrold, "Mutation Analysis Using Mutant Schemata", ISSTA 1993).
const (
	variable    = "mutationInForce"
	environment = "WARPTAPE_MUTATION"
)

// switchSource declares the variable in a package.
const switchSource = `package %s

import (
	"os"
	"strconv"
)

var ` + variable + `, _ = strconv.Atoi(os.Getenv("` + environment + `"))
`

// A place is a part of a source with what stands before and behind it, so that a mutation of it can be in force.
type place struct {
	number         int // of the mutation, from one on
	from, to       int // bytes of the source
	before, behind string
}

// places gives where mutations of one source are chosen, by number. Those that are not among them, such as ones of constants, need
// a program of their own.
func places(source []byte, numbered map[int]mutation) ([]place, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var list []place
	for number, m := range numbered {
		s := switcher{source: source, base: files.File(parsed.Pos()).Base(), m: m, number: number}
		if p, ok := s.place(s.around(parsed)); ok {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b place) int { return a.number - b.number })
	return list, nil
}

// switcher finds the place of one mutation.
type switcher struct {
	source []byte
	base   int
	m      mutation
	number int
}

func (s *switcher) bytes(n ast.Node) (from, to int) {
	return int(n.Pos()) - s.base, int(n.End()) - s.base
}

// around lists the nodes around the mutation, from the file on.
func (s *switcher) around(file *ast.File) (path []ast.Node) {
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		from, to := s.bytes(n)
		if n != ast.Node(file) && (s.m.start < from || s.m.end > to) {
			return false
		}
		path = append(path, n)
		return true
	})
	return path
}

// place goes outwards, from the innermost node around the mutation, to what can be chosen: a condition or a statement.
func (s *switcher) place(path []ast.Node) (place, bool) {
	for i := len(path) - 1; i > 0; i-- {
		switch n := path[i].(type) {
		case *ast.BinaryExpr:
			if condition(n.Op) {
				return s.condition(outermost(path[:i], n)), true
			}
		case *ast.IfStmt:
			if s.within(n.Cond) {
				return s.condition(n.Cond), true
			}
			return place{}, false
		case *ast.ForStmt:
			if n.Cond != nil && s.within(n.Cond) {
				return s.condition(n.Cond), true
			}
			return place{}, false
		case *ast.AssignStmt, *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.ReturnStmt:
			if !listed(path[i-1], n.(ast.Stmt)) {
				return place{}, false
			}
			return s.statement(n.(ast.Stmt))
		case ast.Stmt, ast.Decl, *ast.Field:
			return place{}, false
		}
	}
	return place{}, false
}

// outermost is the whole condition of one that is a part of others without parentheses: another operator may bind them otherwise.
func outermost(around []ast.Node, n *ast.BinaryExpr) *ast.BinaryExpr {
	for i := len(around) - 1; i >= 0; i-- {
		b, ok := around[i].(*ast.BinaryExpr)
		if !ok || !condition(b.Op) {
			break
		}
		n = b
	}
	return n
}

func condition(op token.Token) bool {
	return op == token.LAND || op == token.LOR || op == token.EQL || op == token.NEQ || op == token.LSS || op == token.LEQ || op == token.GTR || op == token.GEQ
}

func (s *switcher) within(n ast.Node) bool {
	from, to := s.bytes(n)
	return from <= s.m.start && s.m.end <= to
}

// listed reports whether a statement stands in a list of statements, where another may stand in its place.
func listed(parent ast.Node, statement ast.Stmt) bool {
	switch p := parent.(type) {
	case *ast.BlockStmt:
		return true
	case *ast.CaseClause:
		return slices.Contains(p.Body, statement)
	case *ast.CommClause:
		return slices.Contains(p.Body, statement)
	}
	return false
}

// mutated is the text of a node with the mutation.
func (s *switcher) mutated(n ast.Node) string {
	from, to := s.bytes(n)
	return string(s.source[from:s.m.start]) + s.m.new + string(s.source[s.m.end:to])
}

func (s *switcher) at(n ast.Node, before, behind string) place {
	from, to := s.bytes(n)
	return place{s.number, from, to, before, behind}
}

func (s *switcher) condition(n ast.Expr) place {
	return s.at(n, fmt.Sprintf("(%s == %d && (%s) || %[1]s != %[2]d && (", variable, s.number, s.mutated(n)), "))")
}

func (s *switcher) statement(n ast.Stmt) (place, bool) {
	is := fmt.Sprintf("if %s == %d { ", variable, s.number)
	if strings.HasPrefix(s.m.old, "panic(") {
		return place{}, false // a function may need no return behind it
	}
	if from, to := s.bytes(n); s.m.new == "" && s.m.start == from && s.m.end == to {
		return s.at(n, fmt.Sprintf("if %s != %d { ", variable, s.number), " }"), true
	}
	if _, ok := n.(*ast.ReturnStmt); ok {
		return s.at(n, is+s.mutated(n)+" }; ", ""), true
	}
	a, ok := n.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE {
		return s.at(n, is+s.mutated(n)+" } else { ", " }"), true
	}
	// A variable takes its mutated value behind its own: it must not need itself for it, nor any call.
	if !repeatable(a) {
		return place{}, false
	}
	return s.at(n, "", "; "+is+strings.Replace(s.mutated(n), ":=", "=", 1)+" }"), true
}

// repeatable reports whether what a statement assigns may be computed again behind it.
func repeatable(a *ast.AssignStmt) bool {
	names, again := map[string]bool{}, true
	for _, l := range a.Lhs {
		if id, ok := l.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}
	for _, r := range a.Rhs {
		ast.Inspect(r, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				again = again && !names[n.Name]
			case *ast.FuncLit:
				again = false
			case *ast.UnaryExpr:
				again = again && n.Op != token.ARROW
			case *ast.CallExpr:
				again = again && harmless(n.Fun)
			}
			return again
		})
	}
	return again
}

// harmless reports whether a call has no effect: a conversion to a basic type, or a function of numbers.
func harmless(called ast.Expr) bool {
	switch f := called.(type) {
	case *ast.Ident:
		return slices.Contains([]string{
			"len", "cap", "min", "max", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "float32", "float64", "byte",
		}, f.Name)
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		return ok && (x.Name == "bits" || x.Name == "math")
	}
	return false
}

// A span is where a place lies in the program in which all are.
type span struct{ number, from, to int }

// switched is the source in which a variable chooses at all places, and where they lie there.
func switched(source []byte, list []place) (string, []span) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b place) int { // the outer ones first
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	w := &weaver{source: source}
	w.weave(list, 0, len(source))
	return w.out.String(), w.spans
}

type weaver struct {
	source []byte
	out    strings.Builder
	spans  []span
}

// weave writes a part of the source with the places in it.
func (w *weaver) weave(list []place, from, to int) {
	for len(list) > 0 {
		p := list[0]
		inner := 1
		for inner < len(list) && list[inner].from < p.to {
			inner++
		}
		w.out.Write(w.source[from:p.from])
		begin := w.out.Len()
		w.out.WriteString(p.before)
		w.weave(list[1:inner], p.from, p.to)
		w.out.WriteString(p.behind)
		w.spans = append(w.spans, span{p.number, begin, w.out.Len()})
		from, list = p.to, list[inner:]
	}
	w.out.Write(w.source[from:to])
}
