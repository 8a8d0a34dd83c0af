package mechanisms_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/memory/dram"
	"github.com/warptape/warptape/timing/replacement"
	"github.com/warptape/warptape/timing/replay/replaytest"
)

// Every replacement policy and DRAM scheduler replays random kernels on machines of
// each kind, in caches so small that much is replaced, and twice the same way.
func TestEveryWordOfAPolicyReplays(t *testing.T) {
	machines := []string{"gtx480", "v100", "gpsim-tiny+tinycache", "mesh56", "gpsim-soc", "gtx480+buddy(members=2)"}
	for i, spec := range machines {
		for _, policy := range replacement.Policies.Names() {
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
				if m.DRAM.Model == "banked" {
					names := dram.Schedulers.Names()
					m.DRAM.Scheduler = names[i%len(names)]
				}
				if err := m.Validate(); err != nil {
					t.Fatal(err)
				}
				r := randomTrace(t, rand.New(rand.NewPCG(uint64(i), 77)))
				if diff := cmp.Diff(once(t, m, r), once(t, m, r)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
