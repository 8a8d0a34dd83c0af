// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

const regenerate = "run 'make figures' and commit the result"

func catalogue(t *testing.T) *traces.Catalogue {
	t.Helper()
	c, err := traces.ReadCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func load(t *testing.T, w traces.Workload) *host.Program {
	t.Helper()
	p, err := host.Load(w.Files, w.Program)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheCatalogueFileIsOfTheseWorkloads(t *testing.T) {
	c := catalogue(t)
	for _, w := range traces.List() {
		t.Run(w.Name, func(t *testing.T) {
			p := load(t, w)
			digest, err := w.Digest()
			if err != nil {
				t.Fatal(err)
			}
			have := c.Find(w.Name)
			if have == nil {
				t.Fatalf("%s has no entry: %s", traces.CatalogueFile, regenerate)
			}
			about := host.About{Suite: have.Suite, Tables: have.Tables}
			if diff := cmp.Diff(p.About(), about, cmpopts.EquateEmpty()); diff != "" || have.Digest != digest {
				t.Errorf("%s is stale: %s\n%s", traces.CatalogueFile, regenerate, diff)
			}
			var sizes, measured []string
			for _, s := range p.Sizes() {
				sizes = append(sizes, s.Name)
			}
			for _, s := range have.Sizes {
				measured = append(measured, s.Name)
				if (s.Figures == nil) == (s.Unmeasured == "") {
					t.Errorf("size %s has neither figures nor a reason why, or both", s.Name)
				}
			}
			if diff := cmp.Diff(sizes, measured); diff != "" {
				t.Errorf("%s\n%s", regenerate, diff)
			}
		})
	}
	for _, e := range c.Workloads {
		if _, err := traces.Find(e.Name); err != nil {
			t.Errorf("%s: %s is no workload: %s", traces.CatalogueFile, e.Name, regenerate)
		}
	}
}

func TestTinyRunsDoWhatTheCatalogueFileSays(t *testing.T) {
	c := catalogue(t)
	for _, w := range tracetest.Draw(t, traces.List(), tracetest.Fewer(4, 16)) {
		t.Run(w.Name, func(t *testing.T) {
			writer, err := wtape.NewWriter(io.Discard, w.Name, trace.Header{}, wtape.Options{Level: wtape.LevelFast, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Abort()
			if _, err := load(t, w).Run(context.Background(), host.Options{Size: "tiny", Seed: traces.CatalogueSeed, Sink: writer}); err != nil {
				t.Fatal(err)
			}
			if err := writer.Finish(); err != nil {
				t.Fatal(err)
			}
			e := c.Find(w.Name)
			if e == nil || e.Size("tiny") == nil || e.Size("tiny").Figures == nil {
				t.Fatalf("%s has no figures: %s", traces.CatalogueFile, regenerate)
			}
			n := writer.Totals()
			now := &traces.Figures{
				Launches: n.Launches, ThreadBlocks: n.ThreadBlocks, Threads: n.Threads,
				WarpInstructions: n.WarpInstructions, ThreadInstructions: n.ThreadInstructions, MemoryInstructions: n.MemoryInstructions,
				BytesToDevice: n.BytesToDevice, BytesToHost: n.BytesToHost,
			}
			if diff := cmp.Diff(e.Size("tiny").Figures, now); diff != "" {
				t.Errorf("%s (-file +now)\n%s", regenerate, diff)
			}
		})
	}
}

func TestFiguresArePlausible(t *testing.T) {
	for _, e := range catalogue(t).Workloads {
		for _, s := range e.Sizes {
			f := s.Figures
			if f == nil {
				continue
			}
			if lanes := f.MeanActiveLanes(); lanes <= 0 || lanes > 32 {
				t.Errorf("%s %s: %v active lanes of 32", e.Name, s.Name, lanes)
			}
			if m := f.MemoryIntensity(); m <= 0 || m >= 1 {
				t.Errorf("%s %s: memory intensity %v", e.Name, s.Name, m)
			}
			if f.Launches == 0 || f.ThreadBlocks < f.Launches || f.Threads < f.ThreadBlocks || f.BytesToHost == 0 {
				t.Errorf("%s %s: %+v", e.Name, s.Name, *f)
			}
		}
	}
}

// The counts of saxpy follow from its PTX: 16 blocks of 256 threads, 4000 of them
// within the vectors. Those are 125 full warps, which execute all 20 instructions; the
// 3 other warps execute the first 7 and the return. The 7 read one parameter; the rest
// reads three parameters and two vectors, and writes one.
func TestSaxpysFiguresAreThoseOfItsSource(t *testing.T) {
	want := &traces.Figures{
		Launches: 1, ThreadBlocks: 16, Threads: 4096,
		WarpInstructions: 125*20 + 3*8, ThreadInstructions: 4000*20 + 96*8, MemoryInstructions: 125*7 + 3*1,
		BytesToDevice: 2 * 4 * 4000, BytesToHost: 4 * 4000,
	}
	if diff := cmp.Diff(want, catalogue(t).Find("saxpy").Size("tiny").Figures); diff != "" {
		t.Error(diff)
	}
}

func TestRatiosOfFiguresAreThoseOfTheirCounts(t *testing.T) {
	f := traces.Figures{WarpInstructions: 8, ThreadInstructions: 100, MemoryInstructions: 2}
	if f.MeanActiveLanes() != 12.5 || f.MemoryIntensity() != 0.25 {
		t.Errorf("%v lanes, %v memory", f.MeanActiveLanes(), f.MemoryIntensity())
	}
	var none traces.Figures
	if none.MeanActiveLanes() != 0 || none.MemoryIntensity() != 0 {
		t.Error("a run of nothing has ratios")
	}
}

func TestFaultyCatalogueFilesAreRefusedByName(t *testing.T) {
	for _, text := range []string{"", "{", `{"workloads": 3}`, `{"workload": []}`} {
		_, err := traces.ParseCatalogue("some/catalogue.json", []byte(text))
		if err == nil || !strings.Contains(err.Error(), "some/catalogue.json: ") || !strings.Contains(err.Error(), "make figures") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestCatalogueTextReadsBackAsItself(t *testing.T) {
	c := catalogue(t)
	text, err := c.Text()
	if err != nil {
		t.Fatal(err)
	}
	again, err := traces.ParseCatalogue("text", text)
	if diff := cmp.Diff(c, again); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestEntriesAreFoundByName(t *testing.T) {
	c := catalogue(t)
	for i := range c.Workloads {
		if e := c.Find(c.Workloads[i].Name); e != &c.Workloads[i] {
			t.Errorf("%s: got %v", c.Workloads[i].Name, e)
		}
	}
	if e := c.Find("saxpi"); e != nil {
		t.Errorf("saxpi is %v", e)
	}
	if s := c.Find("saxpy").Size("vast"); s != nil {
		t.Errorf("size vast is %v", s)
	}
}
