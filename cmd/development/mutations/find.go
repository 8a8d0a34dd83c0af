// SPDX-License-Identifier: Apache-2.0

package mutations

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A mutation puts a text in the place of another one in a file.
type mutation struct {
	file       string
	line       int
	column     int
	start, end int // bytes of the file
	old, new   string
}

func (m mutation) String() string {
	if m.new == "" {
		return fmt.Sprintf("%s:%d:%d: without %s", m.file, m.line, m.column, firstLine(m.old))
	}
	return fmt.Sprintf("%s:%d:%d: %s, not %s", m.file, m.line, m.column, firstLine(m.new), firstLine(m.old))
}

func firstLine(text string) string {
	first, _, more := strings.Cut(text, "\n")
	if more {
		return first + " ..."
	}
	return first
}

// swapped has the operator that stands for another one. A comparison has its bound moved
// by one; the negation of whole conditions does the rest.
var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND,
	token.SHL: token.SHR, token.SHR: token.SHL,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
	token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

// find lists the mutations of a Go source, none of one that is generated.
func find(file string, source []byte) ([]mutation, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(parsed) {
		return nil, err
	}
	f := &finder{files: files, file: file, source: source}
	ast.Inspect(parsed, f.visit)
	return f.found, nil
}

type finder struct {
	files  *token.FileSet
	file   string
	source []byte
	found  []mutation
}

// visit has no use for what it returns but to go on.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.swap(n.OpPos, n.Op)
	case *ast.IfStmt:
		f.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.negate(n.Cond)
		}
	case *ast.IncDecStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.BlockStmt:
		f.drop(n.List)
	case *ast.CaseClause:
		f.drop(n.Body)
	}
	return true
}

func (f *finder) swap(at token.Pos, operator token.Token) {
	if other, ok := swapped[operator]; ok {
		f.replace(at, at+token.Pos(len(operator.String())), other.String())
	}
}

// negate leaves comparisons for equality to swap, which does the same.
func (f *finder) negate(condition ast.Expr) {
	if b, ok := condition.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	from, to := f.files.Position(condition.Pos()).Offset, f.files.Position(condition.End()).Offset
	f.replace(condition.Pos(), condition.End(), "!("+string(f.source[from:to])+")")
}

// drop leaves out calls and assignments, each for itself. An empty block keeps the syntax.
func (f *finder) drop(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			f.replace(s.Pos(), s.End(), "")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				f.replace(s.Pos(), s.End(), "")
			}
		}
	}
}

func (f *finder) replace(from, to token.Pos, by string) {
	start, end := f.files.Position(from), f.files.Position(to)
	f.found = append(f.found, mutation{f.file, start.Line, start.Column, start.Offset, end.Offset, string(f.source[start.Offset:end.Offset]), by})
}

// mutated is the source with a mutation.
func (m mutation) mutated(source []byte) []byte {
	out := append([]byte(nil), source[:m.start]...)
	out = append(out, m.new...)
	return append(out, source[m.end:]...)
}
