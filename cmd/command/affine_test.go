// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// recordTiny records a host program at size tiny in memory.
func recordTiny(t *testing.T, files fs.FS, program string) *wtape.Reader {
	t.Helper()
	p, err := host.Load(files, program)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, program, trace.Header{Tool: "test"}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: 1, Sink: w}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// notUnderTheRaceDetector skips long tests of what has no goroutines of its own where the
// race detector, for which -short stands, would make them ten times as long.
func notUnderTheRaceDetector(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("no goroutines of its own, or those that other tests have")
	}
}

// The affine streams of the whole catalogue expand to what the kernels did: addresses,
// guards and branches.
func TestAffineStreamsOfTheCatalogueExpandToTheRecording(t *testing.T) {
	notUnderTheRaceDetector(t)
	for _, w := range tracetest.Draw(t, traces.List(), tracetest.Fewer(10, len(traces.List()))) {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			list, err := affine.Measure(recordTiny(t, w.Files, w.Program), affine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				if c.Wrapped != 0 {
					t.Errorf("%d expansions wrapped around", c.Wrapped)
				}
			}
		})
	}
}

func TestRandomAffineProgramsExpandToTheExecutedAddresses(t *testing.T) {
	notUnderTheRaceDetector(t)
	var total affine.Coverage
	for _, seed := range tracetest.Seeds(t, 80, tracetest.Fewer(5, 13)) {
		rng := rand.New(rand.NewPCG(seed, 8))
		p := affineProgram{rng: rng}
		text := p.text()
		files := fstest.MapFS{"k.ptx": {Data: []byte(text)}, "k.star": {Data: []byte(affineHost(rng))}}
		list, err := affine.Measure(recordTiny(t, files, "k.star"), affine.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		total.Add(&list[0])
	}
	if tracetest.Whole() && (total.Expansions[affine.Data] < 1000 || total.Cases[affine.LanesCase] < 100 || total.Wrapped > 0) {
		t.Errorf("the programs exercise too little, or wrap around: %+v", total)
	}
}

// The built-in comparison is no decoration: a pointer that is off by a byte is found,
// with the place.
func TestWrongArgumentIsFoundAtItsPlace(t *testing.T) {
	w, err := traces.Find("saxpy")
	if err != nil {
		t.Fatal(err)
	}
	r := recordTiny(t, w.Files, w.Program)
	l := r.Launches()[0]
	l.Arguments = bytes.Clone(l.Arguments)
	l.Arguments[0]++
	e, err := affine.NewEvaluator(affine.Compile(&r.Kernels()[l.Kernel]), &l)
	if err != nil {
		t.Fatal(err)
	}
	chunk := wtape.NewChunk()
	if err := r.ReadChunk(0, chunk); err != nil {
		t.Fatal(err)
	}
	e.Begin()
	e.Add(chunk, 0)
	var v affine.Visit
	for more := true; more && err == nil; {
		more, err = e.Next(&v)
	}
	if err == nil || !strings.Contains(err.Error(), "BUG: kernel saxpy, line 39 (ld.global.nc.f32), thread block 0, warp 0: thread 0 has address") {
		t.Errorf("error %v", err)
	}
}

func TestAffineCommandRefusesWhatItCannotShow(t *testing.T) {
	bad(t, commandline.ExitUsage, "--measure needs a trace", "affine", "--measure", "x.ptx")
	bad(t, commandline.ExitFailed, "has no kernel", "affine", "../../traces/recorded/saxpy.wtape", "--kernel", "nix")
	if out := good(t, "affine", "../../traces/recorded/tiny/saxpy.wtape", "--measure"); !strings.Contains(out, "100.0 %") {
		t.Errorf("printed %s", out)
	}
}
