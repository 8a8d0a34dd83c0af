// SPDX-License-Identifier: Apache-2.0

package dac_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// streamCounts are what an affine warp's queues carry, by executing the affine stream alone, without any timing.
type streamCounts struct {
	coverage    affine.Coverage
	adjustments uint64 // warps whose addresses are no line
	conditions  uint64 // warps whose address is chosen among several
}

// countStreams executes the affine streams of a trace.
func countStreams(t *testing.T, r *wtape.Reader, o affine.Options) (c streamCounts) {
	t.Helper()
	list, err := affine.Measure(r, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		c.coverage.Add(&list[i])
	}
	kernels, chunk := r.Kernels(), wtape.NewChunk()
	for l := range r.Launches() {
		launch := &r.Launches()[l]
		p := affine.CompileWith(&kernels[launch.Kernel], o)
		if !p.Decoupled() {
			continue
		}
		e, err := affine.NewEvaluator(p, launch)
		if err != nil {
			t.Fatal(err)
		}
		first, end := r.LaunchChunks(l)
		for n := first; n < end; n++ {
			if err := r.ReadChunk(n, chunk); err != nil {
				t.Fatal(err)
			}
			for _, b := range chunk.Blocks() { // each by itself: sums are the same
				e.Begin()
				e.Add(chunk, b)
				var v affine.Visit
				for more := true; more; {
					if more, err = e.Next(&v); err != nil {
						t.Fatal(err)
					}
					if more {
						c.add(p, &v)
					}
				}
			}
		}
	}
	return c
}

func (c *streamCounts) add(p *affine.Plan, v *affine.Visit) {
	for _, q := range v.Enqueues {
		for i := range q.Expansions {
			if q.Queue == affine.Predicate {
				continue
			}
			if q.Expansions[i].Case == affine.LanesCase {
				c.adjustments++
			}
			if p.Fates[q.Instruction].Conditions > 0 {
				c.conditions++
			}
		}
	}
}

// chosenTrace is of threads that copy one of eight words by their number, which is no line, or the first one: a selp gives
// each warp's address two tuples.
func chosenTrace(t *testing.T, blocks, warps int) *wtape.Reader {
	t.Helper()
	k := copyKernel()
	p := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Words: 1, Virtual: "p"}}
	base, tid, address := k.Instructions[0].Operands[0], k.Instructions[2].Operands[0], k.Instructions[6].Operands[0]
	k.Instructions[4] = op("and", nil, "b32", trace.ClassIntAdd, k.Instructions[4].Operands[0], tid, trace.Operand{Kind: trace.OperandImmediate, Value: 7})
	k.Instructions = slices.Insert(k.Instructions, 7,
		op("setp", []string{"lt"}, "u32", trace.ClassIntAdd, p, tid, trace.Operand{Kind: trace.OperandImmediate, Value: 48}),
		op("selp", nil, "b64", trace.ClassIntAdd, address, address, base, p))
	k.Blocks[0].Count += 2
	return record(t, k, blocks, warps, bufferBase, func(w *wtape.Writer, _ int) {
		for i := range warps {
			w.Visit(i, 0, math.MaxUint32)
			w.AccessStrided(i, math.MaxUint32, 0, 0)
			var lanes [trace.WarpSize]uint64
			for l := range lanes {
				if lanes[l] = bufferBase; 32*i+l < 48 {
					lanes[l] += uint64(4 * (l % 8))
				}
			}
			w.Access(i, math.MaxUint32, &lanes)
			w.Access(i, math.MaxUint32, &lanes)
		}
	})
}

// What a replay counts of tuples, expansions and loads is what the streams have, whatever the timing is.
func TestAReplayCountsWhatTheStreamsHave(t *testing.T) {
	machine := load(t, "gtx480-15+dac")
	traces := map[string]*wtape.Reader{"chosen": chosenTrace(t, 20, 3)}
	names := []string{"spmv", "streams"}
	if tracetest.Whole() {
		names = append(names, "saxpy", "transpose", "reduction", "divergence-nested", "needle", "hotspot", "lbm", "sgemm")
	}
	for _, name := range names {
		r, err := wtape.Open(filepath.Join("..", "..", "..", "traces", "recorded", name+".wtape"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		traces[name] = r
	}
	seen := map[string]bool{}
	for name, r := range traces {
		res := run(t, r, machine)[0]
		c := countStreams(t, r, affine.Options{KeepScratchpad: true, DataDependent: affine.LeaveData})
		v := &c.coverage
		for counter, want := range map[string]uint64{
			"dac_removed_instructions": v.Removed, "dac_loads": v.Loads, "dac_affine_loads": v.AffineLoads,
			"dac_end_predicates": v.Cases[affine.EndsCase], "dac_lane_predicates": v.Cases[affine.LanesCase],
			"dac_predicate_writes": v.Expansions[affine.Predicate], "dac_predicate_reads": v.Expansions[affine.Predicate],
			"dac_address_adjustments": c.adjustments, "dac_condition_reads": c.conditions,
		} {
			if got := count(t, &res, counter); got != want {
				t.Errorf("%s: %s is %d, the streams have %d", name, counter, got, want)
			}
			seen[counter] = seen[counter] || want > 0
		}
	}
	for counter, some := range seen {
		if !some {
			t.Errorf("no trace has any of %s", counter)
		}
	}
}
