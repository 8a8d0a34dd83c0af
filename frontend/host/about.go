// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/warptape/warptape/frontend/host/bounds"
)

// About says where the application that a host program plays comes from.
type About struct {
	// Suite is the benchmark suite that the application is known from, empty
	// when the program does not say.
	Suite string
	// Tables are the tables of papers that list it, in the program's order.
	Tables []string
}

// About is what the program's top-level variable about declares; without one it
// is the zero value.
func (p *Program) About() About {
	return About{Suite: p.about.Suite, Tables: slices.Clone(p.about.Tables)}
}

// readAbout checks the global variable about: a dictionary with the keys suite
// and tables; either may be missing.
func readAbout(v starlark.Value) (About, error) {
	var about About
	if v == nil {
		return about, nil
	}
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return about, fmt.Errorf(`about must be a dictionary such as {"suite": "Rodinia", "tables": []}, not a %s`, v.Type())
	}
	for _, item := range dict.Items() {
		var err error
		switch key, _ := starlark.AsString(item[0]); key {
		case "suite":
			about.Suite, err = readSuite(item[1])
		case "tables":
			about.Tables, err = readTables(item[1])
		default:
			err = fmt.Errorf("about[%s]: there are the keys suite and tables", bounds.Text(item[0]))
		}
		if err != nil {
			return About{}, err
		}
	}
	return about, nil
}

func readSuite(v starlark.Value) (string, error) {
	suite, ok := starlark.AsString(v)
	if !ok || suite == "" {
		return "", fmt.Errorf(`about["suite"] must be the name of a benchmark suite, not %s`, bounds.Text(v))
	}
	return suite, nil
}

func readTables(v starlark.Value) ([]string, error) {
	list, ok := v.(*starlark.List)
	if !ok {
		return nil, fmt.Errorf(`about["tables"] must be a list of names of tables, not a %s`, v.Type())
	}
	var tables []string
	for i := range list.Len() {
		table, ok := starlark.AsString(list.Index(i))
		if !ok || table == "" {
			return nil, fmt.Errorf(`about["tables"][%d] must be the name of a table, not %s`, i, bounds.Text(list.Index(i)))
		}
		if slices.Contains(tables, table) {
			return nil, fmt.Errorf(`about["tables"][%d]: %q is in the list twice`, i, table)
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// atDeclaration gives an error about a global variable the place where the
// program first assigns to it.
func (p *Program) atDeclaration(file *syntax.File, variable string, err error) error {
	e := &Error{File: p.path, Err: err}
	for _, statement := range file.Stmts {
		assignment, ok := statement.(*syntax.AssignStmt)
		if !ok {
			continue
		}
		if name, ok := assignment.LHS.(*syntax.Ident); ok && name.Name == variable {
			e.Line, e.Column, e.Function = int(name.NamePos.Line), int(name.NamePos.Col), "<toplevel>"
			break
		}
	}
	return e
}
