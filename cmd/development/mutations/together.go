// SPDX-License-Identifier: Apache-2.0

package mutations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// together is test programs that have several mutations. Without the variable none is in force. The zero value has no mutation.
type together struct {
	has      map[int]bool // by number
	programs []program
	names    string // of tests
	limit    time.Duration
}

// program is the tests of one package, executed in its folder.
type program struct{ path, folder string }

// try executes the tests with one mutation; known is false where the programs do not have it.
func (t *together) try(ctx context.Context, number int) (result outcome, known bool, err error) {
	if !t.has[number] {
		return 0, false, nil
	}
	pass, err := t.pass(ctx, number)
	if pass {
		result = survived
	}
	return result, true, err
}

// pass reports whether all tests pass with a mutation in force.
func (t *together) pass(ctx context.Context, number int) (bool, error) {
	for _, p := range t.programs {
		_, err := bounded(ctx, p.folder, []string{fmt.Sprintf("%s=%d", environment, number)},
			p.path, "-test.failfast", "-test.paniconexit0", "-test.timeout="+t.limit.String(), "-test.run="+t.names)
		switch exit := new(exec.ExitError); {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.As(err, &exit):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}

// build makes the programs of mutations, which are numbered from one on. What is not among them, or keeps the others from being built,
// has to be tried for itself. So have all where tests fail without a mutation in force, as those do that count allocations in functions
// that are now too long to be expanded.
func (r *run) build(ctx context.Context, p *loaded, list []mutation) *together {
	left := map[int]bool{}
	for i := range list {
		left[i+1] = true
	}
	for range mostBuilds {
		sources, err := r.weave(p, list, left)
		if err != nil || len(left) == 0 {
			return new(together)
		}
		t, said, err := r.compile(ctx, p)
		if err == nil {
			t.has = left
			return r.measured(ctx, t)
		}
		if !exclude(sources, said, list, left) {
			return new(together)
		}
	}
	return new(together)
}

// mostBuilds bounds how often mutations are left out that do not compile.
const mostBuilds = 12

// measured gives programs their limit of time; none where tests fail without a mutation in force.
func (r *run) measured(ctx context.Context, t *together) *together {
	start := time.Now()
	t.limit = 10 * time.Minute
	if pass, err := t.pass(ctx, 0); err != nil || !pass {
		return new(together)
	}
	t.limit = 5*time.Since(start) + 2*time.Second
	return t
}

// woven is a source with its mutations.
type woven struct {
	text  string
	spans []span
}

// weave writes the sources with the mutations that are left. It takes those out that have no place in them.
func (r *run) weave(p *loaded, list []mutation, left map[int]bool) (map[string]woven, error) {
	byFile := map[string]map[int]mutation{}
	for i, m := range list {
		if left[i+1] {
			if byFile[m.file] == nil {
				byFile[m.file] = map[int]mutation{}
			}
			byFile[m.file][i+1] = m
		}
	}
	clear(left)
	sources, replace := map[string]woven{}, map[string]string{}
	for file, numbered := range byFile {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		places, err := places(source, numbered)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			left[p.number] = true
		}
		text, spans := switched(source, places)
		sources[filepath.Base(file)] = woven{text, spans}
		replace[file] = filepath.Join(r.folder, filepath.Base(file))
		if err := os.WriteFile(replace[file], []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	declared := filepath.Join(r.folder, "declared.go")
	replace[filepath.Join(p.Dir, "mutation_in_force.go")] = declared
	if err := os.WriteFile(declared, fmt.Appendf(nil, switchSource, p.Name), 0o600); err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return sources, os.WriteFile(r.overlay(), overlay, 0o600)
}

// compile makes the test programs of what weave has written.
func (r *run) compile(ctx context.Context, p *loaded) (*together, []byte, error) {
	t := &together{names: r.names}
	for i, name := range append([]string{p.ImportPath}, r.tests...) {
		path := filepath.Join(r.folder, strconv.Itoa(i)+".test")
		os.Remove(path)
		said, err := bounded(ctx, r.root, nil, "go", "test", "-c", "-vet=off", "-gcflags=-e", "-overlay", r.overlay(), "-o", path, name)
		if err != nil {
			return nil, said, err
		}
		c := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", name)
		c.Dir = r.root
		folder, err := c.Output()
		if err != nil {
			return nil, folder, err
		}
		if _, err := os.Stat(path); err == nil { // it has tests
			t.programs = append(t.programs, program{path, strings.TrimSpace(string(folder))})
		}
	}
	return t, nil, nil
}

// compilerError is a message with its place. Some name the line alone.
var compilerError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+)(?::(\d+))?: `)

// exclude takes those mutations out at which the compiler found something wrong. Where it is none of them, as at the end of a function
// that lacks a return, it is the jumps of that source. It reports whether there was any.
func exclude(sources map[string]woven, said []byte, list []mutation, left map[int]bool) bool {
	before := len(left)
	for _, e := range compilerError.FindAllSubmatch(said, -1) {
		w := sources[filepath.Base(string(e[1]))]
		line, _ := strconv.Atoi(string(e[2]))
		if len(e[3]) == 0 {
			for _, x := range w.spans {
				if x.from < w.offset(line+1, 1) && w.offset(line, 1) < x.to {
					delete(left, x.number)
				}
			}
			continue
		}
		column, _ := strconv.Atoi(string(e[3]))
		if n := w.innermost(w.offset(line, column)); n > 0 {
			delete(left, n)
			continue
		}
		for _, x := range w.spans {
			if m := list[x.number-1]; m.old == "break" || m.old == "continue" {
				delete(left, x.number)
			}
		}
	}
	return len(left) < before
}

// offset is where a line and column lie; behind the text where it has fewer lines.
func (w *woven) offset(line, column int) int {
	at := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(w.text[at:], '\n')
		if next < 0 {
			return len(w.text)
		}
		at += next + 1
	}
	return at + column - 1
}

// innermost is the number of the innermost mutation around a place; zero: there is none.
func (w *woven) innermost(at int) int {
	number, shortest := 0, len(w.text)+1
	for _, s := range w.spans {
		if s.from <= at && at < s.to && s.to-s.from < shortest {
			number, shortest = s.number, s.to-s.from
		}
	}
	return number
}
