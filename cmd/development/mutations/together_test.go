// SPDX-License-Identifier: Apache-2.0

package mutations

import (
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/warptape/warptape/trace/tracetest"
)

// shapes has mutations of every kind of place: conditions in statements of all kinds, results, variables that may be computed again and
// others, steps of loops, jumps, constants, and strings, which have no difference.
const shapes = `package p

import "fmt"

const width = 4 + 4

// Sum adds up what is below a bound, and names it.
func Sum(list []int, bound int) (string, int) {
	sum, last := 0, len(list)-1
	for i := 0; i <= last; i++ {
		next := list[i] + 0*width
		half := at(list, i) / 2
		switch {
		case next < 0:
			continue
		case next >= bound && half > 0:
			return "above " + fmt.Sprint(half-1), sum
		}
		sum += next
	}
	for {
		if sum%width == 0 && sum > 0 || bound < 0 && sum == last {
			break
		}
		sum++
	}
	if last < 0 {
		panic("nothing")
	}
	return "below", sum * 2
}

func at(list []int, i int) int {
	calls++
	if i < 0 {
		panic("no place")
	}
	return list[i]
}

func forever(step func() bool) int {
	for {
		if step() {
			continue
		}
		return calls + 1
	}
}

var calls int
`

const shapesTest = `package p

import "testing"

func TestSum(t *testing.T) {
	if name, sum := Sum([]int{1, -5, 2, 9}, 10); name != "below" || sum != 32 {
		t.Error(name, sum)
	}
	if name, sum := Sum([]int{1, 10, 2}, 10); name != "above 4" || sum != 1 {
		t.Error(name, sum)
	}
	if calls != 7-1 {
		t.Error(calls)
	}
	if n := 0; forever(func() bool { n++; return n < 3 }) != 7 || n != 3 {
		t.Error(n)
	}
}
`

// In one program mutations do what each does in a program of its own.
func TestMutationsTogetherDoWhatEachDoesAlone(t *testing.T) {
	tracetest.Nightly(t)
	folder := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": shapes, "p_test.go": shapesTest} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &run{out: io.Discard, folder: t.TempDir(), root: folder, names: ".", at: regexp.MustCompile("."), mutants: 100, seed: 1}
	p, err := r.load(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	if said, err := r.test(t.Context(), p, time.Minute); err != nil {
		t.Fatalf("%s", said)
	}
	all := r.build(t.Context(), p, p.mutations)
	seen := map[outcome]int{}
	for i, m := range p.mutations {
		want, err := r.try(t.Context(), p, m, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		got, known, err := all.try(t.Context(), i+1)
		switch {
		case err != nil:
			t.Fatal(err)
		case known:
			seen[got]++
			// A statement left out may leave a variable that nothing needs: alone, that does not compile.
			if got != want && (want != invalid || m.new != "") {
				t.Errorf("%s: %d together, %d alone", m, got, want)
			}
		case want != invalid:
			t.Logf("%s has a program of its own", m)
		}
	}
	if seen[killed] < 15 || seen[survived] < 3 {
		t.Errorf("of %d mutations %d are killed together and %d survive", len(p.mutations), seen[killed], seen[survived])
	}
}

// Sources with all mutations are Go, whatever stands in them, and have each mutation in its span.
func TestSourcesWithAllMutationsAreGo(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, err := find(file, source)
		if err != nil {
			t.Fatal(err)
		}
		numbered := map[int]mutation{}
		for i, m := range found {
			numbered[i+1] = m
		}
		list, err := places(source, numbered)
		if err != nil {
			t.Fatal(err)
		}
		text, spans := switched(source, list)
		if _, err := parser.ParseFile(token.NewFileSet(), file, text, 0); err != nil {
			t.Errorf("%s with all mutations: %v", file, err)
		}
		if n += len(list); len(spans) != len(list) || 2*len(list) < len(found) {
			t.Errorf("%s: %d mutations, %d places, %d spans", file, len(found), len(list), len(spans))
		}
		for _, s := range spans {
			if m := numbered[s.number]; s.from < 0 || s.to > len(text) || len(text[s.from:s.to]) < len(m.old) {
				t.Errorf("%s: its span is %v", m, s)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d mutations", n)
	}
}
