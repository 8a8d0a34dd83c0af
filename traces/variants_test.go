// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// sampledPoints records point-in-polygon with or without its checks: without them the
// sample executes only what it stores.
func sampledPoints(t *testing.T, checked bool, workers int) *wtape.Reader {
	t.Helper()
	w, err := traces.Find("point-in-polygon")
	if err != nil {
		t.Fatal(err)
	}
	program, err := host.Load(w.Files, w.Program)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := sample.Parse("count=4,min=1,run=2")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "sample.wtape")
	out, err := wtape.Create(file, trace.Header{Tool: "test"}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	r := sample.NewRecorder(out, policy, nil)
	set := map[string]string{"points": "3000", "checked": "False"}
	if checked {
		set["checked"] = "True"
	}
	if _, err := program.Run(context.Background(), host.Options{Size: "tiny", Set: set, Seed: 1, Sink: r, Out: io.Discard, Workers: workers}); err != nil {
		t.Fatal(err)
	}
	r.Describe()
	if err := out.Finish(); err != nil {
		t.Fatal(err)
	}
	in, err := wtape.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := verification.Verify(in); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// What a sample stores is the same whether the other thread blocks run or not. Then only
// the counts of instructions are estimates, and the header says so.
func TestASampleOfIndependentThreadBlocksExecutesWhatItStores(t *testing.T) {
	all, few := sampledPoints(t, true, 1), sampledPoints(t, false, 1)
	if n := all.Sampling().PassedOver(); n != 0 {
		t.Errorf("with its checks it passed over %d thread blocks", n)
	}
	s := few.Sampling()
	if got := s.PassedOver(); got != 8 {
		t.Errorf("without its checks it passed over %d thread blocks of 12, with 4 stored", got)
	}
	if !strings.Contains(few.Header().Sampling, "did not run") || strings.Contains(all.Header().Sampling, "did not run") {
		t.Errorf("the headers say %q and %q", few.Header().Sampling, all.Header().Sampling)
	}
	exact, estimated := all.Totals(), few.Totals()
	if exact.ThreadBlocks != estimated.ThreadBlocks || exact.Threads != estimated.Threads || exact.Warps != estimated.Warps {
		t.Errorf("exact: %+v, estimated: %+v", exact, estimated)
	}
	off := float64(estimated.WarpInstructions)/float64(exact.WarpInstructions) - 1
	if bound := 3*s.Launches[0].CountError + 0.08; off > bound || off < -bound { // the last thread block is smaller
		t.Errorf("%d warp instructions were estimated to be %d, with an error of %v", exact.WarpInstructions, estimated.WarpInstructions, s.Launches[0].CountError)
	}
	for i, c := range all.Chunks() {
		if d := few.Chunks()[i]; c.FirstBlock != d.FirstBlock || c.LastBlock != d.LastBlock || c.WarpInstructions != d.WarpInstructions {
			t.Errorf("chunk %d: %+v and %+v", i, c, d)
		}
	}
	if again := sampledPoints(t, false, 3); again.Digest() != few.Digest() {
		t.Error("three workers record something else than one")
	}
}

// A program that breaks its promise not to look at results is refused where it does.
func TestResultsOfAPartAreRefused(t *testing.T) {
	w, err := traces.Find("point-in-polygon")
	if err != nil {
		t.Fatal(err)
	}
	for old, c := range map[string]struct{ is, want string }{
		"gpu.read(inside, keep=False)": {"gpu.read(inside)", "write gpu.read(..., keep=False)"},
		"        return\n":             {"        gpu.launch(m.point_in_polygon, grid=1, block=1, args=[inside, points_dev, i32(1)])\n", "launch both so, or neither"},
	} {
		program, err := host.Load(edited(t, w, w.Program, old, c.is, ""), w.Program)
		if err != nil {
			t.Fatal(err)
		}
		policy, _ := sample.Parse("count=2,min=1")
		out, err := wtape.Create(filepath.Join(t.TempDir(), "x.wtape"), trace.Header{Tool: "test"}, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer out.Abort()
		_, err = program.Run(context.Background(), host.Options{Size: "tiny", Set: map[string]string{"checked": "False", "points": "2000"}, Sink: sample.NewRecorder(out, policy, nil), Out: io.Discard})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.is, err, c.want)
		}
	}
}

// Variants are named by whole numbers, and the source reaches no other file.
func TestSourcesOfVariantsThatAreRefused(t *testing.T) {
	run := func(source, call string) error {
		files := fstest.MapFS{"k.cu": {Data: []byte(source)}, "p.star": {Data: []byte("def main(p):\n    " + call + "\n")}}
		program, err := host.Load(files, "p.star")
		if err != nil {
			t.Fatal(err)
		}
		_, err = program.Run(context.Background(), host.Options{Compile: func(context.Context, *host.KernelSource) (*host.CompiledKernel, error) {
			return nil, io.ErrUnexpectedEOF
		}})
		return err
	}
	for _, c := range []struct{ source, call, want string }{
		{"", `gpu.module("k.cu", macros={"A": 1.5})`, "want a whole number"},
		{"", `gpu.module("k.cu", macros={"A B": 1})`, "no name of a macro"},
		{"", `gpu.module("k.cu", macros={"A": 1 << 70})`, "does not fit 64 bits"},
		{"", `gpu.module("k.ptx", macros={"A": 1})`, "k.ptx is none"},
		{"\n#  inc\\\nlude </etc/hostname>", `gpu.module("k.cu", macros={"A": 1})`, "includes no other"},
		{"#/**/embed \"x\"", `gpu.module("k.cu", macros={})`, "includes no other"},
		{"", `gpu.module("k.cu", macros={"B": True, "A": 2})`, "A=2 B=1: unexpected EOF"},
	} {
		if err := run(c.source, c.call); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q with %s: got %v, want %q", c.source, c.call, err, c.want)
		}
	}
}
