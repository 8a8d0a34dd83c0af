// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
)

// alike gives two machines that differ in technology, and one that is another.
func alike() []*arch.Machine {
	list := machines()
	same := list[0].Clone()
	same.Name, same.Technology.NodeNM = "one at 22 nm", 22
	return []*arch.Machine{list[0], list[1], same}
}

// builtInto is constant, and counts the machines that are built.
func builtInto(built *atomic.Int32) gpu.MemoryBuilder {
	return func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		built.Add(1)
		return constant(m, c, sets, global)
	}
}

func TestMachinesThatDifferInTechnologyReplayOnce(t *testing.T) {
	r := gputest.Trace(t, launches(7)...)
	for _, workers := range []int{1, 3} {
		var want []Result
		for _, m := range alike() {
			want = append(want, run(t, r, []*arch.Machine{m}, Options{Workers: 1})...)
		}
		var built atomic.Int32
		got, err := Run(context.Background(), r, alike(), Options{Workers: workers, Version: "1.2.3", Memory: builtInto(&built)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(written(t, want), written(t, got)); diff != "" {
			t.Errorf("%d workers: results differ from those of replays one by one: %s", workers, diff)
		}
		// Three are checked. The first replays as it was checked, the second is built again.
		if built.Load() != 4 {
			t.Errorf("%d workers: %d machines were built, want 4: the third has what the first counted", workers, built.Load())
		}
		if got[0].ArchitectureDigest == got[2].ArchitectureDigest {
			t.Error("machines of two technologies have one digest")
		}
	}
}

// A machine whose like another process replays is replayed here.
func TestAMachineWhoseLikeIsLeftOutReplays(t *testing.T) {
	r := gputest.Trace(t, launches(9)...)
	list := alike()
	want := run(t, r, list[2:], Options{Workers: 1})
	var got []Result
	o := Options{Workers: 2, Memory: constant, Version: "1.2.3", Claim: func(i int) func() {
		if i == 0 {
			return nil
		}
		return func() {}
	}}
	err := Each(context.Background(), r, list, o, func(i int, result *Result, err error) {
		if err != nil {
			t.Error(err)
		} else if i == 2 {
			got = append(got, *result)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(written(t, want), written(t, got)); diff != "" {
		t.Error(diff)
	}
}
