// SPDX-License-Identifier: Apache-2.0

package results

import (
	"context"
	"errors"

	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	_ "github.com/warptape/warptape/timing/mechanisms"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/wtape"
)

// point is that of a recorded trace on a machine.
func point(t testing.TB, name, spec string) (*Point, *replay.Result) {
	t.Helper()
	r, err := wtape.Open(recorded(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	list, err := replay.Run(context.Background(), r, []*arch.Machine{m}, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := Identity{TraceDigest: r.Digest(), ArchitectureDigest: m.Digest(), Model: "test"}
	p, err := NewPoint(id, Summarize(r), m, &list[0])
	if err != nil {
		t.Fatal(err)
	}
	return p, &list[0]
}

// recorded is the file of a recorded trace; with " sampled" behind its name that of a
// sample of it.
func recorded(t testing.TB, name string) string {
	t.Helper()
	name, sampled := strings.CutSuffix(name, " sampled")
	path := "../../traces/recorded/" + name + ".wtape"
	if !sampled {
		return path
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	policy, err := sample.Parse("fraction=0.5")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "sample.wtape")
	if err := sample.Trace(r, path, policy, wtape.Options{}); err != nil {
		t.Fatal(err)
	}
	return path
}

func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := Create(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAPointReadsBackAsItWasReplayed: figures by name are those of the result.
func TestAPointReadsBackAsItWasReplayed(t *testing.T) {
	s := newStore(t)
	want, result := point(t, "spmv", "gtx480+tinycache")
	if err := s.Put(want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(want.Key)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	figures, err := got.Figures()
	if err != nil {
		t.Fatal(err)
	}
	if figures["cycles"] != float64(result.Total.Cycles) || figures["time_ns"] != result.Total.Nanoseconds || figures["energy_j"] <= 0 || figures["area_mm2"] <= 0 {
		t.Errorf("%v", figures)
	}
	for i, d := range replay.Declarations() {
		v, ok := figures[d.Name]
		if w := result.Total.Metrics[i]; ok == math.IsNaN(w) || ok && v != w {
			t.Errorf("%s: %g, want %g", d.Name, v, w)
		}
	}
	if figures["tinycache.tinycache_reads"] == 0 {
		t.Error("the mechanism's counters are missing")
	}
	named := map[string]bool{}
	for _, v := range Values() {
		named[v.Name] = true
	}
	for name := range figures {
		if !named[name] {
			t.Errorf("%s is not declared", name)
		}
	}
}

// TestDamagedPointsAreFoundAndReplaced: cut off, changed, or under another's name.
func TestDamagedPointsAreFoundAndReplaced(t *testing.T) {
	s := newStore(t)
	p, _ := point(t, "spmv", "gtx480")
	path := filepath.Join(s.Root(), keyed(points, p.Key, pointSuffix))
	for name, damage := range map[string]func(text []byte) []byte{
		"cut off": func(text []byte) []byte { return text[:len(text)/2] },
		"empty":   func([]byte) []byte { return nil },
		"changed": func(text []byte) []byte { text[len(text)/2] ^= 1; return text },
		"other": func([]byte) []byte {
			other := *p
			other.Identity.Model = "another"
			packed, err := encode(&other)
			if err != nil {
				t.Fatal(err)
			}
			return packed
		},
	} {
		if err := s.Put(p); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damage(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		if _, err := s.Get(p.Key); !errors.As(err, &damaged) || damaged.Path != path {
			t.Errorf("%s: %v", name, err)
		}
		if s.Sound(p.Key) {
			t.Errorf("%s: passes for sound", name)
		}
	}
	if err := s.Put(p); err != nil || !s.Sound(p.Key) {
		t.Errorf("not replaced: %v", err)
	}
}

// TestManyWritersOfOnePointLeaveOneFile, and nothing half-written.
func TestManyWritersOfOnePointLeaveOneFile(t *testing.T) {
	root := filepath.Join(t.TempDir(), "results")
	p, _ := point(t, "spmv", "gtx480")
	var done sync.WaitGroup
	failed := make([]error, 16)
	for i := range failed {
		done.Go(func() {
			s, err := Create(root)
			if err == nil {
				err = s.Put(p)
			}
			if err == nil {
				_, err = s.Get(p.Key)
			}
			failed[i] = err
		})
	}
	done.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(root, incoming))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// TestOtherFoldersAreRefused: those of other programs and of other versions.
func TestOtherFoldersAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"warptape_results":2}`: "reads layout 1",
		`{"warptape_results":0}`: "does not say which version",
		`{`:                      "does not say which version",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, layoutFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(string) (*Store, error){Open, Create, Look} {
			if _, err := open(dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "holds other files") {
		t.Error(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is not a folder of results") {
		t.Error(err)
	}
}

// TestFailuresAreForgottenWithAResult, and refusals are not tried again.
func TestFailuresAreForgottenWithAResult(t *testing.T) {
	s := newStore(t)
	p, _ := point(t, "spmv", "gtx480")
	for _, refused := range []bool{true, false} {
		want := &Failure{Key: p.Key, Identity: p.Identity, Refused: refused, Reason: "a reason"}
		if err := s.PutFailure(want); err != nil {
			t.Fatal(err)
		}
		got, err := s.Failure(p.Key)
		if err != nil {
			t.Fatal(err)
		}
		if refused {
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			if err := os.RemoveAll(filepath.Join(s.Root(), "refused")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Put(p); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Failure(p.Key); f != nil || err != nil {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestManifestsThatLeaveTheirListsAreRefused.
func TestManifestsThatLeaveTheirListsAreRefused(t *testing.T) {
	s := newStore(t)
	key := strings.Repeat("0", keyLength)
	sound := PlannedPoint{Key: key, Reference: -1, Values: []string{"1"}}
	for name, change := range map[string]func(p *PlannedPoint){
		"":          func(*PlannedPoint) {},
		"trace":     func(p *PlannedPoint) { p.Trace = 1 },
		"reference": func(p *PlannedPoint) { p.Reference = 1 },
		"values":    func(p *PlannedPoint) { p.Values = nil },
		"key":       func(p *PlannedPoint) { p.Key = "../../x" },
		"no key":    func(p *PlannedPoint) { p.Key = "" },
	} {
		p := sound
		change(&p)
		m := &Manifest{Schema: SchemaVersion, Name: "a", Traces: []PlannedTrace{{}}, Axes: []Axis{{Name: "x"}}, Points: []PlannedPoint{p}}
		if err := s.PutManifest(m); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Manifest("a"); (err == nil) != (name == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "..", "a/b", "-x", ".hidden", strings.Repeat("x", 200)} {
		if s.PutManifest(&Manifest{Name: name}) == nil {
			t.Errorf("%q names a sweep", name)
		}
	}
	if _, err := s.Manifest("b"); err == nil || !strings.Contains(err.Error(), `it has ["a"]`) {
		t.Error(err)
	}
}

func BenchmarkSound(b *testing.B) {
	s := newStore(b)
	p, _ := point(b, "spmv", "gtx480")
	if err := s.Put(p); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if !s.Sound(p.Key) {
			b.Fatal("not sound")
		}
	}
}
