// SPDX-License-Identifier: Apache-2.0

package addresses

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math/bits"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/statistics"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
	"github.com/warptape/warptape/trace/wtape"
)

var onlyGlobal = map[trace.Space]bool{trace.SpaceGlobal: true}

// small has one warp of three lanes. It has a load of 4 bytes at 0x1000, 0x101e
// (across a border of 32 bytes) and 0x1004. It has a generic atomic of lane 0 in
// shared and lane 2 in global memory, and a store under a guard that never holds.
func small(t *testing.T) *wtape.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "small", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	_, kernel := w.AddKernel(&trace.Kernel{Name: "k", Blocks: []trace.BasicBlock{{Count: 3, PostDominator: trace.NoBlock}},
		Instructions: []trace.Instruction{
			{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Line: 7},
			{Opcode: "atom", Class: trace.ClassAtomic, Space: trace.SpaceGeneric, LaneBytes: 4, Line: 8},
			{Opcode: "st", Class: trace.ClassStore, Space: trace.SpaceGlobal, LaneBytes: 4, Line: 9,
				Guard: trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}},
		}})
	_, launch := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 3, Y: 1, Z: 1}})
	w.BeginBlock(0)
	w.Visit(0, 0, 7)
	w.Guard(0, 0)
	w.Access(0, 7, &[32]uint64{0x1000, 0x101e, 0x1004})
	w.Access(0, 7, &[32]uint64{trace.SharedWindowBase + 0x40, trace.LocalWindowBase + 8, 0x2000})
	w.AccessStrided(0, 0, 0, 0)
	if err := errors.Join(kernel, launch, w.EndBlock(), w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func export(t *testing.T, r *wtape.Reader, o Options) string {
	t.Helper()
	if o.Launches == (trace.Range{}) {
		o.Launches = trace.Everything
	}
	if o.Blocks == (trace.Range{}) {
		o.Blocks = trace.Everything
	}
	var out strings.Builder
	if _, err := Export(r, &out, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFormatsWriteTheSameAccesses(t *testing.T) {
	r := small(t)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Format: Dinero, SegmentBytes: 32, Spaces: onlyGlobal}, "0 1000\n0 1020\n0 2000\n1 2000\n"},
		{Options{Format: Ramulator, SegmentBytes: 4096, Spaces: onlyGlobal}, "0x1000 R\n0x2000 R\n0x2000 W\n"},
		{Options{Format: Ramulator2, Spaces: map[trace.Space]bool{trace.SpaceShared: true}}, "LD 0x40\nST 0x40\n"},
		{Options{Format: CSV, SegmentBytes: 32, Spaces: onlyGlobal}, csvHeader +
			"0,0,0,0,7,load,global,0x7,0x1000,32\n0,0,0,0,7,load,global,0x2,0x1020,32\n0,0,0,16,8,atomic,global,0x4,0x2000,32\n"},
		{Options{Format: CSV, Spaces: map[trace.Space]bool{trace.SpaceGlobal: true, trace.SpaceLocal: true}}, csvHeader +
			"0,0,0,0,7,load,global,0x1,0x1000,4\n0,0,0,0,7,load,global,0x2,0x101e,4\n0,0,0,0,7,load,global,0x4,0x1004,4\n" +
			"0,0,0,16,8,atomic,local,0x2,0x8,4\n0,0,0,16,8,atomic,global,0x4,0x2000,4\n"},
	} {
		if d := cmp.Diff(c.want, export(t, r, c.o)); d != "" {
			t.Errorf("%v, segments of %d: %s", c.o.Format, c.o.SegmentBytes, d)
		}
	}
}

// Stats counts segments and lanes by itself.
func TestRecordedTracesHaveTheAccessesThatStatsCounts(t *testing.T) {
	for _, name := range []string{"spmv", "tiny/reduction"} {
		r, err := wtape.Open(filepath.Join("..", "..", "traces", "recorded", name+".wtape"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		stats, err := statistics.Of(r)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(export(t, r, Options{Format: CSV, SegmentBytes: trace.LineBytes, Spaces: onlyGlobal}))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if n := uint64(len(rows) - 1); n != stats.Global.Segments {
			t.Errorf("%s: %d segments, stats counts %d", name, n, stats.Global.Segments)
		}
		rows, err = csv.NewReader(strings.NewReader(export(t, r, Options{Format: CSV, Spaces: onlyGlobal}))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		requested := uint64(0)
		for _, row := range rows[1:] {
			lanes, _ := strconv.ParseUint(row[7], 0, 32)
			width, _ := strconv.ParseUint(row[9], 10, 64)
			if bits.OnesCount64(lanes) != 1 {
				t.Fatalf("%s: %v has several lanes", name, row)
			}
			requested += width
		}
		if requested != stats.Global.RequestedBytes {
			t.Errorf("%s: %d bytes, stats counts %d", name, requested, stats.Global.RequestedBytes)
		}
	}
}

func TestLaunchesAndBlocksAreFiltered(t *testing.T) {
	r, err := wtape.Open(filepath.Join("..", "..", "traces", "recorded", "streams.wtape"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	o := Options{Format: CSV, SegmentBytes: 32, Spaces: onlyGlobal}
	var want strings.Builder
	want.WriteString(csvHeader)
	for _, line := range strings.SplitAfter(export(t, r, o), "\n")[1:] {
		if strings.HasPrefix(line, "1,0,") || strings.HasPrefix(line, "1,1,") {
			want.WriteString(line)
		}
	}
	o.Launches, o.Blocks = trace.Range{First: 1, Last: 1}, trace.Range{First: 0, Last: 1}
	if got := export(t, r, o); got != want.String() || got == csvHeader {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
	o.Launches = trace.Range{First: 999, Last: 999}
	if _, err := Export(r, &strings.Builder{}, o); err == nil || !strings.Contains(err.Error(), "launches 999 do not exist") {
		t.Errorf("%v", err)
	}
	if _, err := Export(r, &strings.Builder{}, Options{SegmentBytes: 24}); err == nil || !strings.Contains(err.Error(), "power of two") {
		t.Errorf("%v", err)
	}
	if _, err := ParseFormat("elf"); err == nil || !strings.Contains(err.Error(), "dinero, ramulator, ramulator2, csv") {
		t.Errorf("%v", err)
	}
}

// BenchmarkExport isolates the writing of coalesced accesses; decoding is a small part.
func BenchmarkExport(b *testing.B) {
	r, err := wtape.Open(filepath.Join("..", "..", "traces", "recorded", "spmv.wtape"))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	o := Options{Format: Ramulator, SegmentBytes: 32, Spaces: onlyGlobal, Launches: trace.Everything, Blocks: trace.Everything}
	n := uint64(0)
	for b.Loop() {
		var discard bytes.Buffer
		if n, err = Export(r, &discard, o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/access")
}
