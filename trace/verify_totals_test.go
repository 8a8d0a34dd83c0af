package trace

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// countedTrace has something of everything that totals count.
func countedTrace(t testing.TB) *Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, "counted", Header{}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddKernel(layOut("counted", laidBlock{"aL", []uint32{0, 1}}, laidBlock{"sx", nil})); err != nil {
		t.Fatal(err)
	}
	for _, e := range []HostEvent{
		{Kind: EventCopyToDevice, Address: 256, HostAddress: 512, Bytes: 160},
		{Kind: EventCopyToHost, Address: 256, HostAddress: 512, Bytes: 96},
	} {
		if _, err := w.AddEvent(e); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		w.BeginLaunch(Launch{Grid: Dim3{3, 1, 1}, Block: Dim3{40, 1, 1}})
		for block := range uint64(3) {
			w.BeginBlock(block)
			for warp, lanes := range []uint32{allLanes, 0xff} {
				for range 2 {
					w.Visit(warp, 0, lanes)
					w.Guard(warp, lanes&0xf)
					w.AccessStrided(warp, lanes&0xf, 4096, 4)
				}
				w.Visit(warp, 1, lanes)
				w.AccessStrided(warp, lanes, 8192, 4)
			}
			if err := w.EndBlock(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.EndLaunch(); err != nil {
			t.Fatal(err)
		}
	}
	thread := []CPUInstruction{{IP: 4, LoadSlots: 3}, {IP: 8, StoreSlots: 1}, {IP: 12, Branch: true}}
	w.BeginCPUThread()
	for i := range uint64(10) {
		w.AddCPU(&thread[0], false, []uint64{64 * i, 32 * i})
		w.AddCPU(&thread[1], false, []uint64{64 * i})
		w.AddCPU(&thread[2], i < 7, nil)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return openBytes(t, out.Bytes())
}

// counted are the totals of that trace, by hand: two launches of three thread blocks of
// a warp of 32 threads and one of 8, each of which visits two instructions twice, the
// second in four lanes, and two once.
func counted() Totals {
	const blocks, warps = 2 * 3, 2 * 2 * 3
	c := Totals{
		Launches: 2, ThreadBlocks: blocks, Warps: warps, Threads: blocks * 40, Visits: warps * 3,
		WarpInstructions: warps * (2*2 + 2), ThreadInstructions: blocks*40*(2+2) + warps*2*4,
		MemoryInstructions: warps * (2 + 1), BytesToDevice: 160, BytesToHost: 96,
		CPU: CPUTotals{Threads: 1, Instructions: 30, Branches: 10, TakenBranches: 7, Loads: 20, Stores: 10},
	}
	c.ByClass[ClassIntAdd], c.ByClass[ClassLoad], c.ByClass[ClassStore], c.ByClass[ClassExit] = 2*warps, 2*warps, warps, warps
	return c
}

// eachTotal calls f with every number of some totals and its name.
func eachTotal(c *Totals, f func(name string, n *uint64)) {
	var walk func(v reflect.Value, name string)
	walk = func(v reflect.Value, name string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), name+"."+v.Type().Field(i).Name)
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i), fmt.Sprintf("%s[%v]", name, OpClass(i)))
			}
		default:
			f(name, v.Addr().Interface().(*uint64))
		}
	}
	walk(reflect.ValueOf(c).Elem(), "Totals")
}

// A summary that says one more or one less of anything than the file holds is found;
// but CPU threads, which may have no instructions, are known from the summary alone.
func TestVerifyComparesEveryTotal(t *testing.T) {
	r := countedTrace(t)
	want := counted()
	if diff := cmp.Diff(want, r.Totals()); diff != "" {
		t.Errorf("totals by hand and of the summary:\n%s", diff)
	}
	if err := Verify(r); err != nil {
		t.Fatal(err)
	}
	eachTotal(&r.totals, func(name string, n *uint64) {
		right := *n
		for _, wrong := range []uint64{right + 1, right - 1} {
			*n = wrong
			if err := Verify(r); (err == nil || !strings.Contains(err.Error(), "its summary says")) != (name == "Totals.CPU.Threads") {
				t.Errorf("%s is %d, of which the summary says %d: %v", name, right, wrong, err)
			}
		}
		*n = right
	})
}

// What a sample holds is part of the whole run: of nothing that thread blocks bring is
// there more than the totals say.
func TestASampleHoldsNoMoreThanTheWholeRun(t *testing.T) {
	r := countedTrace(t)
	r.header.Sampling = "by hand"
	if err := Verify(r); err != nil {
		t.Errorf("a sample of everything: %v", err)
	}
	eachTotal(&r.totals, func(name string, n *uint64) {
		if *n == 0 || strings.HasPrefix(name, "Totals.CPU") || strings.HasPrefix(name, "Totals.Bytes") || name == "Totals.Launches" {
			return
		}
		*n++
		if err := Verify(r); err != nil {
			t.Errorf("%s: a sample of all but one: %v", name, err)
		}
		*n -= 2
		if err := Verify(r); err == nil || !strings.Contains(err.Error(), "more than the whole run's") {
			t.Errorf("%s: the sample holds one more than the whole run: %v", name, err)
		}
		*n++
	})
}
