// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/tracetest"
)

// variants are a machine, and others that differ from it in queues, registers and caches, some in technology.
func variants(t testing.TB, base string) []*arch.Machine {
	t.Helper()
	list := load(t, base)
	for _, set := range []string{
		"l1.mshrs=4", "l1.mshrs=8", "l1.mshrs=512", "l1.mshrs=1024", "dram.queue=1", "dram.queue=128", "dram.queue=256", "l2.slice.mshrs=512,dram.queue=512",
		"network.input_queue=500", "technology.node_nm=28,dram.queue=256", "technology.voltage_ratio=0.9", "l1.latency_cycles=90", "l1.latency_cycles=90,dram.queue=400",
	} {
		list = append(list, load(t, base+"+set("+set+")")...)
	}
	for _, factor := range []int{2, 4, 16} {
		m := load(t, base)[0].Clone()
		m.L2.Slice.Bytes, m.L2.Slice.Ways = factor*m.L2.Slice.Bytes, m.L2.Slice.Ways*min(factor, 4)
		m.Name += " with a larger L2"
		if err := m.Validate(); err == nil {
			list = append(list, m)
		}
	}
	return list
}

func TestVariantsThatReplayAlikeGiveTheBytesOfTheirOwnReplays(t *testing.T) {
	for _, base := range tracetest.Draw(t, []string{"gtx480", "mesh56", "v100", "gtx480+butterfly", "rtx2080ti"}, 1) {
		for _, seed := range tracetest.Seeds(t, 12, 1) {
			r := gputest.Trace(t, launches(seed)...)
			list := variants(t, base)
			own, err := Run(context.Background(), r, list, Options{Workers: 2, NoShare: true})
			if err != nil {
				t.Fatal(err)
			}
			if from := sources(own); from != nil {
				t.Errorf("%s: not to be shared, and from %v", base, from)
			}
			var first []string
			for _, workers := range tracetest.Draw(t, []int{1, 3}, 1) {
				got, err := Run(context.Background(), r, list, Options{Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(written(t, own), written(t, got)); diff != "" {
					t.Errorf("%s, seed %d, %d workers: results differ from those of replays one by one: %.400s", base, seed, workers, diff)
				}
				from := sources(got)
				if first == nil {
					first = from
				}
				if len(from) < 4 || !slices.Equal(from, first) {
					t.Errorf("%s, seed %d, %d workers: %d of %d results are shared, %v; before, %v", base, seed, workers, len(from), len(list), from, first)
				}
			}
		}
	}
}

// sources names the machines with the results of others, and these.
func sources(results []Result) []string {
	var list []string
	for i := range results {
		if on := results[i].ReplayedOn; on != nil {
			list = append(list, results[i].Machine+" from "+on.Name)
		}
	}
	return list
}

// A probe that another process has taken leaves the others of its family to replay.
func TestAFamilyWhoseProbeIsLeftOutReplays(t *testing.T) {
	r := gputest.Trace(t, launches(4)...)
	list := variants(t, "gtx480")[:6]
	own, err := Run(context.Background(), r, list, Options{NoShare: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range tracetest.Draw(t, []int{0, 1, 2, 3, 4, 5}, tracetest.Fewer(2, 6)) {
		results := make([]Result, 0, len(list))
		o := Options{Workers: 1 + out%2, Claim: func(i int) func() {
			if i == out {
				return nil
			}
			return func() {}
		}}
		index := make([]int, 0, len(list))
		err := Each(context.Background(), r, list, o, func(i int, result *Result, err error) {
			if err != nil {
				t.Error(err)
				return
			}
			results, index = append(results, *result), append(index, i)
		})
		if err != nil || len(results) != len(list)-1 {
			t.Fatalf("%d results without %d: %v", len(results), out, err)
		}
		for k, i := range index {
			if diff := cmp.Diff(written(t, own[i:i+1]), written(t, results[k:k+1])); diff != "" {
				t.Errorf("without %d, %d: %.300s", out, i, diff)
			}
		}
	}
}
