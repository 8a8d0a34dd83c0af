// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/memory/dram"
	"github.com/warptape/warptape/timing/replacement"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// Every divergence policy replays random kernels on every machine, some in each run. It issues
// the recorded thread instructions, and gives the same result on several cores and with
// every cycle visited.
func TestEveryDivergencePolicyIssuesTheRecordedThreadInstructions(t *testing.T) {
	type pair struct {
		spec, policy string
		seed         uint64
	}
	var pairs []pair
	for i, spec := range append(machines(t), "eesi+set(eesi.tiny_lines=0)", "eesi+set(eesi.turn=all,eesi.tiny_lines=0)", "gpsim-sbi", "gpsim-tiny+tinycache", "gtx480+buddy(members=2)", "gtx480+cae", "mesh56+llc-compute") {
		for _, policy := range divergence.NamesFor(replaytest.Load(t, strings.Split(spec, "+")[0]).GPU.CoreKind()) {
			pairs = append(pairs, pair{spec, policy, uint64(i)})
		}
	}
	for _, p := range tracetest.Draw(t, pairs, len(pairs)/40) {
		t.Run(p.spec+" "+p.policy, func(t *testing.T) {
			m, err := arch.Load(p.spec + "+divergence(policy=" + p.policy + ")")
			if err != nil {
				t.Fatal(err)
			}
			r := randomTrace(t, rand.New(rand.NewPCG(p.seed, 78)))
			if m.SM.Lacks != (arch.Lacks{}) { // random kernels use everything
				r = slice(t, "needle", trace.Range{First: 1, Last: 3}, trace.Everything)
			}
			var want *gpu.Run
			for _, o := range []gpu.Options{{}, {Cores: 2}, {EveryCycle: true}} {
				o.WatchdogCycles = 200_000
				g, err := gpu.New(m, o)
				if err != nil {
					t.Fatal(err)
				}
				run, err := g.Replay(t.Context(), gputest.NewSource(r), nil)
				if err != nil {
					t.Fatal(err)
				}
				if n := run.Total[counters.IssuedThread]; n != r.Totals().ThreadInstructions && !m.GPU.Lowers() {
					t.Errorf("%d thread instructions, recorded %d", n, r.Totals().ThreadInstructions)
				}
				gputest.Conserves(t, m, &run.Total)
				if want == nil {
					want = run
				}
				if diff := differ(want, run); diff != "" {
					t.Errorf("%+v (-once +again):\n%.1000s", o, diff)
				}
			}
		})
	}
}

// Every replacement policy and DRAM scheduler replays random kernels on machines of
// each kind, in caches so small that much is replaced, and twice the same way.
func TestEveryWordOfAPolicyReplays(t *testing.T) {
	machines := []string{"gtx480", "v100", "gpsim-tiny+tinycache", "mesh56", "gpsim-soc", "gtx480+buddy(members=2)"}
	for i, spec := range machines {
		for _, policy := range tracetest.Draw(t, replacement.Policies.Names(), 1) {
			t.Run(spec+" "+policy, func(t *testing.T) {
				m := replaytest.Load(t, spec)
				for _, c := range []struct {
					bytes *int
					word  *string
				}{{&m.L1.Bytes, &m.L1.Replacement}, {&m.L2.Slice.Bytes, &m.L2.Slice.Replacement}, {&m.Instruction.Bytes, &m.Instruction.Replacement}, {&m.Constant.Bytes, &m.Constant.Replacement}, {&m.LLC.Bytes, &m.LLC.Replacement}} {
					if *c.bytes > 0 {
						*c.word = policy
					}
				}
				if m.Shared.Divided() {
					m.L1.Ways = 16 // 64 beside the least shared memory, which all policies take
				}
				if m.DRAM.Model == "banked" {
					names := dram.Schedulers.Names()
					m.DRAM.Scheduler = names[i%len(names)]
				}
				if err := m.Validate(); err != nil {
					t.Fatal(err)
				}
				r := randomTrace(t, rand.New(rand.NewPCG(uint64(i), 77)))
				if diff := differ(once(t, m, r), once(t, m, r)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
