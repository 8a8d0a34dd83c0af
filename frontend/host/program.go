// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/warptape/warptape/frontend/host/bounds"
)

// Program is a host program that has been read and compiled. It can be run any
// number of times, also concurrently.
type Program struct {
	files    fs.FS
	path     string
	doc      string
	digest   string
	compiled *starlark.Program
	sizes    []Size
	about    About
}

// dialect is Starlark with while loops, which data-dependent loops such as
// "until no vertex is new" need.
var dialect = &syntax.FileOptions{While: true, TopLevelControl: true, Set: true}

const (
	// maxSourceBytes bounds the files that a program's modules are read from.
	maxSourceBytes = 64 << 20
	// maxProgramBytes bounds the program itself: the interpreter takes stack for every
	// operator that lies in another.
	maxProgramBytes = 1 << 20
)

// Load reads and compiles the host program at name in files, whose other files
// it can load as PTX. Errors are of type *Error.
func Load(files fs.FS, name string) (*Program, error) {
	text, err := readFile(files, name)
	if err == nil && len(text) > maxProgramBytes {
		err = fmt.Errorf("a host program has at most %d bytes, this one %d: compute its data, or make them with the random module", maxProgramBytes, len(text))
	}
	if err != nil {
		return nil, &Error{File: name, Err: err}
	}
	sum := sha256.Sum256(text)
	p := &Program{files: files, path: name, digest: hex.EncodeToString(sum[:])}
	r := newRun(context.Background(), p, Options{MaxSteps: declareSteps, MaxBytes: declareBytes})
	file, compiled, err := compile(name, text, r.globals().Has)
	if err != nil {
		return nil, err
	}
	p.compiled, p.doc = compiled, docstring(file)
	if err := p.declare(r, file); err != nil {
		return nil, err
	}
	return p, nil
}

// compile parses a program, puts its checks in and compiles it. The doc string of the
// file that it gives is as it was.
func compile(name string, text []byte, predeclared func(string) bool) (*syntax.File, *starlark.Program, error) {
	if err := checkNesting(name, text); err != nil {
		return nil, nil, err
	}
	file, err := dialect.Parse(name, text, 0)
	if err != nil {
		return nil, nil, locate(name, err)
	}
	bounds.Rewrite(file)
	compiled, err := starlark.FileProgram(file, predeclared)
	if err != nil {
		return nil, nil, locate(name, err)
	}
	return file, compiled, nil
}

// What the top level of a program may take: it only declares.
const (
	declareSteps = 1 << 22
	declareBytes = 64 << 20
)

// declare runs the program's top level for what it declares.
func (p *Program) declare(r *run, file *syntax.File) error {
	var globals starlark.StringDict
	err := r.supervise(func() (err error) {
		globals, err = r.initialise()
		return err
	})
	if err != nil {
		return err
	}
	if _, ok := globals["main"].(*starlark.Function); !ok {
		return &Error{File: p.path, Err: errors.New("it defines no function main(p)")}
	}
	if p.sizes, err = readSizes(globals["sizes"]); err != nil {
		return p.atDeclaration(file, "sizes", err)
	}
	if p.about, err = readAbout(globals["about"]); err != nil {
		return p.atDeclaration(file, "about", err)
	}
	return nil
}

// Name is the file's name without its extension.
func (p *Program) Name() string {
	base := path.Base(p.path)
	return strings.TrimSuffix(base, path.Ext(base))
}

// Path is the file's name in its file system.
func (p *Program) Path() string { return p.path }

// Doc is the program's docstring, without surrounding white space.
func (p *Program) Doc() string { return p.doc }

// Digest is the lower-case hex SHA-256 of the program's text.
func (p *Program) Digest() string { return p.digest }

// Sizes are the problem sizes that the program declares, in its order.
func (p *Program) Sizes() []Size { return p.sizes }

func docstring(file *syntax.File) string {
	if len(file.Stmts) == 0 {
		return ""
	}
	statement, ok := file.Stmts[0].(*syntax.ExprStmt)
	if !ok {
		return ""
	}
	literal, ok := statement.X.(*syntax.Literal)
	if !ok || literal.Token != syntax.STRING {
		return ""
	}
	return strings.TrimSpace(literal.Value.(string))
}

func readFile(files fs.FS, name string) ([]byte, error) {
	info, err := statFile(files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSourceBytes {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", name, maxSourceBytes)
	}
	return fs.ReadFile(files, name)
}
