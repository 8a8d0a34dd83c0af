// SPDX-License-Identifier: Apache-2.0

package bounds

import (
	"fmt"

	"go.starlark.net/syntax"
)

// Rewrite makes the operators and methods of a program that can make much of little
// call the functions of Universe. It is for trees that are not resolved yet.
func Rewrite(file *syntax.File) {
	var r rewriter
	file.Stmts = r.statements(file.Stmts)
}

// RewriteExpr does so for an expression and returns what to evaluate instead.
func RewriteExpr(e syntax.Expr) syntax.Expr {
	var r rewriter
	return r.expr(e)
}

// rewriter counts the variables that it has made.
type rewriter struct{ variables int }

func (r *rewriter) statements(list []syntax.Stmt) []syntax.Stmt {
	var out []syntax.Stmt
	for _, s := range list {
		out = append(out, r.statement(s)...)
	}
	return out
}

func (r *rewriter) statement(s syntax.Stmt) []syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		return r.assign(s)
	case *syntax.DefStmt:
		r.params(s.Params)
		s.Body = r.statements(s.Body)
	case *syntax.ExprStmt:
		s.X = r.expr(s.X)
	case *syntax.ForStmt:
		s.Vars, s.X = r.target(s.Vars), r.expr(s.X)
		s.Body = r.statements(s.Body)
	case *syntax.WhileStmt:
		s.Cond = r.expr(s.Cond)
		s.Body = r.statements(s.Body)
	case *syntax.IfStmt:
		s.Cond = r.expr(s.Cond)
		s.True, s.False = r.statements(s.True), r.statements(s.False)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = r.expr(s.Result)
		}
	}
	return []syntax.Stmt{s}
}

// assign rewrites x *= y and x %= y, which mean x = x * y with the parts of x evaluated
// once, and looks at what += appends.
func (r *rewriter) assign(s *syntax.AssignStmt) []syntax.Stmt {
	s.LHS, s.RHS = r.target(s.LHS), r.expr(s.RHS)
	name := ""
	switch {
	case s.Op == syntax.STAR_EQ && !smallFactor(s.RHS):
		name = multiplyName
	case s.Op == syntax.PERCENT_EQ && !number(s.RHS):
		name = remainderName
	case s.Op == syntax.LTLT_EQ:
		name = shiftName
	case s.Op == syntax.PLUS_EQ:
		if !bounded(s.RHS) {
			s.RHS = call(addendName, s.OpPos, s.RHS)
		}
		return []syntax.Stmt{s}
	default:
		return []syntax.Stmt{s}
	}
	before, place := r.once(s.LHS, s.OpPos)
	return append(before, &syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: place(), RHS: call(name, s.OpPos, place(), s.RHS)})
}

// once puts the parts of a place into variables, so that it can be named twice.
func (r *rewriter) once(e syntax.Expr, at syntax.Position) (before []syntax.Stmt, place func() syntax.Expr) {
	keep := func(e syntax.Expr) func() syntax.Expr {
		r.variables++
		name := fmt.Sprintf("$%d", r.variables)
		start, _ := e.Span()
		variable := func() syntax.Expr { return &syntax.Ident{NamePos: start, Name: name} }
		before = append(before, &syntax.AssignStmt{OpPos: at, Op: syntax.EQ, LHS: variable(), RHS: e})
		return variable
	}
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return r.once(e.X, at)
	case *syntax.IndexExpr:
		x, y := keep(e.X), keep(e.Y)
		return before, func() syntax.Expr { return &syntax.IndexExpr{X: x(), Lbrack: e.Lbrack, Y: y(), Rbrack: e.Rbrack} }
	case *syntax.DotExpr:
		x := keep(e.X)
		return before, func() syntax.Expr { return &syntax.DotExpr{X: x(), Dot: e.Dot, NamePos: e.NamePos, Name: e.Name} }
	case *syntax.Ident:
		return nil, func() syntax.Expr { return &syntax.Ident{NamePos: e.NamePos, Name: e.Name} }
	}
	return nil, func() syntax.Expr { return e } // the resolver refuses it
}

// target rewrites the expressions inside of what is assigned to.
func (r *rewriter) target(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		e.X = r.target(e.X)
	case *syntax.IndexExpr:
		e.X, e.Y = r.expr(e.X), r.key(e.Y)
	case *syntax.DotExpr:
		e.X = r.expr(e.X)
	case *syntax.TupleExpr:
		r.targets(e.List)
	case *syntax.ListExpr:
		r.targets(e.List)
	}
	return e
}

func (r *rewriter) targets(list []syntax.Expr) {
	for i := range list {
		list[i] = r.target(list[i])
	}
}

// params rewrites the default values of parameters.
func (r *rewriter) params(list []syntax.Expr) {
	for _, p := range list {
		if b, ok := p.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
			b.Y = r.expr(b.Y)
		}
	}
}

func (r *rewriter) exprs(list []syntax.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

func (r *rewriter) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		return r.binary(e)
	case *syntax.CallExpr:
		e.Fn = r.expr(e.Fn)
		r.args(e)
	case *syntax.DotExpr:
		e.X = r.expr(e.X)
		if methods[e.Name.Name] != nil {
			return call(attributeName, e.Dot, e.X, &syntax.Literal{Token: syntax.STRING, TokenPos: e.NamePos, Raw: `"` + e.Name.Name + `"`, Value: e.Name.Name})
		}
	case *syntax.ParenExpr:
		e.X = r.expr(e.X)
	case *syntax.UnaryExpr:
		if e.X != nil {
			e.X = r.expr(e.X)
		}
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = r.expr(e.Cond), r.expr(e.True), r.expr(e.False)
	case *syntax.IndexExpr:
		e.X, e.Y = r.expr(e.X), r.key(e.Y)
	case *syntax.SliceExpr:
		r.slice(e)
	case *syntax.ListExpr:
		r.exprs(e.List)
	case *syntax.TupleExpr:
		r.exprs(e.List)
	case *syntax.DictExpr:
		for _, entry := range e.List {
			if d, ok := entry.(*syntax.DictEntry); ok {
				d.Key, d.Value = r.key(d.Key), r.expr(d.Value)
			}
		}
	case *syntax.LambdaExpr:
		r.params(e.Params)
		e.Body = r.expr(e.Body)
	case *syntax.Comprehension:
		r.comprehension(e)
	}
	return e
}

// key rewrites what may be a key that takes long to hash.
func (r *rewriter) key(e syntax.Expr) syntax.Expr {
	e = r.expr(e)
	switch x := e.(type) {
	case *syntax.Literal, *syntax.UnaryExpr:
		return e
	case *syntax.BinaryExpr: // of numbers
		if literal(x.X) || literal(x.Y) {
			return e
		}
	}
	at, _ := e.Span()
	return call(keyName, at, e)
}

func (r *rewriter) slice(e *syntax.SliceExpr) {
	e.X = r.expr(e.X)
	for _, part := range []*syntax.Expr{&e.Lo, &e.Hi, &e.Step} {
		if *part != nil {
			*part = r.expr(*part)
		}
	}
}

func (r *rewriter) comprehension(e *syntax.Comprehension) {
	for _, clause := range e.Clauses {
		switch c := clause.(type) {
		case *syntax.ForClause:
			c.Vars, c.X = r.target(c.Vars), r.expr(c.X)
		case *syntax.IfClause:
			c.Cond = r.expr(c.Cond)
		}
	}
	if d, ok := e.Body.(*syntax.DictEntry); ok {
		d.Key, d.Value = r.key(d.Key), r.expr(d.Value)
		return
	}
	e.Body = r.expr(e.Body)
}

// args rewrites arguments; name=value is a binary expression here, and *list a unary.
func (r *rewriter) args(e *syntax.CallExpr) {
	for i, arg := range e.Args {
		switch a := arg.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ {
				a.Y = r.expr(a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR {
				a.X = call(spreadName, a.OpPos, r.expr(a.X))
				continue
			}
		}
		e.Args[i] = r.expr(arg)
	}
}

func (r *rewriter) binary(e *syntax.BinaryExpr) syntax.Expr {
	e.X, e.Y = r.expr(e.X), r.expr(e.Y)
	switch {
	case e.Op == syntax.STAR && !smallFactor(e.X) && !smallFactor(e.Y):
		return call(multiplyName, e.OpPos, e.X, e.Y)
	case e.Op == syntax.PERCENT && !number(e.Y):
		return call(remainderName, e.OpPos, e.X, e.Y)
	case e.Op == syntax.PLUS && !literal(e.X) && !literal(e.Y):
		return call(addName, e.OpPos, e.X, e.Y)
	case e.Op == syntax.LTLT && !literal(e.X):
		return call(shiftName, e.OpPos, e.X, e.Y)
	case comparisons[e.Op] != "" && !literal(e.X) && !literal(e.Y):
		return call(comparisons[e.Op], e.OpPos, e.X, e.Y)
	}
	return e
}

func call(name string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

// smallFactor reports whether an expression is a number that makes nothing large.
func smallFactor(e syntax.Expr) bool {
	const most = 2
	l, ok := e.(*syntax.Literal)
	if !ok {
		return false
	}
	n, isInt := l.Value.(int64)
	return l.Token == syntax.FLOAT || isInt && n <= most
}

func literal(e syntax.Expr) bool {
	_, ok := e.(*syntax.Literal)
	return ok
}

func number(e syntax.Expr) bool {
	l, ok := e.(*syntax.Literal)
	return ok && (l.Token == syntax.INT || l.Token == syntax.FLOAT)
}

// bounded reports whether an expression cannot be an iterable that is larger than what
// it takes in memory.
func bounded(e syntax.Expr) bool {
	switch e.(type) {
	case *syntax.Literal, *syntax.ListExpr, *syntax.TupleExpr, *syntax.UnaryExpr, *syntax.DictExpr, *syntax.Comprehension:
		return true
	}
	return false
}
