// SPDX-License-Identifier: Apache-2.0

package verification

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
)

// counted are the totals of that trace, by hand: two launches of three thread blocks of
// a warp of 32 threads and one of 8. Each warp visits two instructions twice, the second
// time in four lanes, and two once.
func counted() trace.Totals {
	const blocks, warps = 2 * 3, 2 * 2 * 3
	c := trace.Totals{
		Launches: 2, ThreadBlocks: blocks, Warps: warps, Threads: blocks * 40, Visits: warps * 3,
		WarpInstructions: warps * (2*2 + 2), ThreadInstructions: blocks*40*(2+2) + warps*2*4,
		MemoryInstructions: warps * (2 + 1), BytesToDevice: 160, BytesToHost: 96,
		CPU: trace.CPUTotals{Threads: 1, Instructions: 30, Branches: 10, TakenBranches: 7, Loads: 20, Stores: 10},
	}
	c.ByClass[trace.ClassIntAdd], c.ByClass[trace.ClassLoad], c.ByClass[trace.ClassStore], c.ByClass[trace.ClassExit] = 2*warps, 2*warps, warps, warps
	return c
}

// eachTotal calls f with every number of some totals and its name.
func eachTotal(c *trace.Totals, f func(name string, n *uint64)) {
	var walk func(v reflect.Value, name string)
	walk = func(v reflect.Value, name string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), name+"."+v.Type().Field(i).Name)
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i), fmt.Sprintf("%s[%v]", name, trace.OpClass(i)))
			}
		default:
			f(name, v.Addr().Interface().(*uint64))
		}
	}
	walk(reflect.ValueOf(c).Elem(), "Totals")
}

// A summary that says one more or one less of anything than the file holds is found. But
// CPU threads, which may have no instructions, are known from the summary alone.
func TestVerifyComparesEveryTotal(t *testing.T) {
	r := testtraces.Counted(t)
	want := counted()
	if diff := cmp.Diff(want, r.Totals()); diff != "" {
		t.Errorf("totals by hand and of the summary:\n%s", diff)
	}
	if err := Verify(r); err != nil {
		t.Fatal(err)
	}
	eachTotal(&r.Content().Totals, func(name string, n *uint64) {
		right := *n
		for _, wrong := range []uint64{right + 1, right - 1} {
			*n = wrong
			if err := Verify(r); (err == nil || !strings.Contains(err.Error(), "its summary says")) != (name == "Totals.CPU.Threads") {
				t.Errorf("%s is %d, and the summary says %d: %v", name, right, wrong, err)
			}
		}
		*n = right
	})
}

// What a sample holds is part of the whole run: of nothing that thread blocks bring is
// there more than the totals say.
func TestASampleHoldsNoMoreThanTheWholeRun(t *testing.T) {
	r := testtraces.Counted(t)
	r.Content().Header.Sampling = "by hand"
	if err := Verify(r); err != nil {
		t.Errorf("a sample of everything: %v", err)
	}
	eachTotal(&r.Content().Totals, func(name string, n *uint64) {
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
