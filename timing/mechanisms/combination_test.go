// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	_ "github.com/warptape/warptape/timing/mechanisms"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// overlays are tinyCaches, Buddy SM and wide warps, alone and together where they
// can be.
var overlays = []string{
	"+tinycache", "+buddy(members=2)", "+tinycache+buddy(members=2)", "+tinycache(lines=8,line_bytes=32)+buddy(members=4,halfway=true)", "+tinycache(policy=bypass_shared)+buddy(members=4,divergence=mask)", "+buddy(members=2,formation=default)+tinycache(policy=bypass_global)",
	"+wide(threads=64)", "+wide(threads=128)+tinycache",
}

// randomTrace has kernels with loads, stores, barriers, fences and divergence.
func randomTrace(t testing.TB, r *rand.Rand) *wtape.Reader {
	t.Helper()
	return gputest.Trace(t, gputest.RandomLaunches(r)...)
}

// randomized is a machine with some of the pipeline of a random one.
func randomized(t testing.TB, spec string, r *rand.Rand) *arch.Machine {
	t.Helper()
	m, other := replaytest.Load(t, spec), gputest.RandomMachine(r).SM
	s := &m.SM
	s.FetchWidth, s.InstructionBuffer, s.DecodeCycles = other.FetchWidth, max(other.InstructionBuffer, other.FetchWidth, other.IssuePerScheduler), other.DecodeCycles
	s.Schedulers, s.IssuePerScheduler, s.DualIssueDifferentUnits = other.Schedulers, other.IssuePerScheduler, other.DualIssueDifferentUnits
	s.Scheduler, s.SchedulerWarps, s.WarpSwitch = other.Scheduler, other.SchedulerWarps, other.WarpSwitch
	s.MaxBlocks, s.Latencies.IntAdd, s.Latencies.Barrier = other.MaxBlocks, other.Latencies.IntAdd, other.Latencies.Barrier
	s.L0 = arch.L0{}
	if m.Instruction.Bytes > 0 && !s.FetchArrivals && r.IntN(2) == 0 {
		s.L0 = arch.L0{Bytes: 8 * m.Instruction.LineBytes, Ways: 2, StreamLines: 8 * r.IntN(2)}
	}
	m.GPU.BlocksPerCycle, m.Shared.Banks = 1+r.IntN(2), []int{8, 16, 32}[r.IntN(3)]
	return m
}

func once(t testing.TB, m *arch.Machine, r *wtape.Reader) *gpu.Run {
	t.Helper()
	g, err := gpu.New(m, gpu.Options{WatchdogCycles: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(r), nil)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return run
}

// Replays check themselves that instructions, slots and requests are all accounted
// for and every queue is empty at the end.
func TestInvariantsHoldForMechanismsAloneAndTogether(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 48, tracetest.Fewer(2, 4)) {
		r := rand.New(rand.NewPCG(seed, 11))
		file := randomTrace(t, r)
		m := randomized(t, "gtx480"+overlays[seed%uint64(len(overlays))], r)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			run := once(t, m, file)
			total := run.Total
			addUnfetched(t, m, &total)
			gputest.Invariants(t, m, &total, run.Cycles)
			if n := run.Total[counters.IssuedThread]; n != file.Totals().ThreadInstructions {
				t.Errorf("%s: %d thread instructions, recorded %d", m.Name, n, file.Totals().ThreadInstructions)
			}
			restless := m.Clone()
			restless.SetSection("restless", &everyCycle{Enabled: true})
			if diff := differ(once(t, restless, file), run); diff != "" {
				t.Fatalf("%s: sleeping changes the result (-every cycle +event driven):\n%s", m.Name, diff)
			}
		})
	}
}

// addUnfetched adds to what was fetched what slaves of a group, and later passes of
// wide warps, issued without. Members that are regrouped lose what they have
// fetched.
func addUnfetched(t testing.TB, m *arch.Machine, total *counters.Set) {
	t.Helper()
	id, ok := counters.Lookup("buddy_slave_instructions")
	if !ok {
		t.Fatal("no counter of the instructions of slaves")
	}
	later, ok := counters.Lookup("wide_later_passes")
	if !ok {
		t.Fatal("no counter of later passes")
	}
	total[counters.FetchInstruction] += total[id] + total[later]
	if more := total[counters.FetchInstruction]; strings.Contains(m.Name, "halfway") && more > total[counters.IssuedWarp] {
		total[counters.FetchInstruction] = total[counters.IssuedWarp]
	}
}

// everyCycle is a mechanism of this test: it calls every front end in every cycle,
// the slow twin of front ends that sleep.
type everyCycle struct {
	Enabled bool `yaml:"enabled"`
}

func (e *everyCycle) On() bool                                  { return e.Enabled }
func (e *everyCycle) Check(*arch.Machine, func(_, _ string))    {}
func (e *everyCycle) Structures(*arch.Machine) []arch.Structure { return nil }

type restless struct{ seam.FrontEnd }

func (r restless) Cycle(now clock.Cycle) clock.Cycle {
	r.FrontEnd.Cycle(now)
	return now + 1
}

func init() {
	arch.RegisterSection("restless", nil, func() arch.Section { return new(everyCycle) }, arch.Declaration{Outside: []arch.Ability{arch.IssueLogic, arch.IssueGroups}})
	gpu.Mechanisms.Register("restless", gpu.Mechanism{FrontEnds: func(_ *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
		return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
			drivers, err := next(m, cores)
			for i := range drivers {
				drivers[i].FrontEnd = restless{drivers[i].FrontEnd}
			}
			return drivers, err
		}
	}})
}

// Neutral settings of both mechanisms: everything bypasses the lanes' caches, and
// clusters have one SM.
func TestBothMechanismsWithNeutralSettingsAreNotThere(t *testing.T) {
	path := t.TempDir() + "/neutral.yaml"
	if err := os.WriteFile(path, []byte("base: gtx480+tinycache+buddy(members=2)\nname: neutral\ndescription: neutral\ntinycache:\n  policy: bypass_all\nbuddy:\n  size: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(6) {
		file := randomTrace(t, rand.New(rand.NewPCG(seed, 12)))
		want, got := once(t, replaytest.Load(t, "gtx480"), file), once(t, replaytest.Load(t, path), file)
		if want.Cycles != got.Cycles {
			t.Errorf("seed %d: %d cycles, %d with neutral settings", seed, want.Cycles, got.Cycles)
		}
		if diff := differ(want.Total[:counters.Count], got.Total[:counters.Count]); diff != "" {
			t.Errorf("seed %d (-baseline +neutral):\n%s", seed, diff)
		}
	}
}

func TestMechanismsTogetherGiveTheSameBytesWithAnyNumberOfWorkers(t *testing.T) {
	file := randomTrace(t, rand.New(rand.NewPCG(1, 13)))
	var want string
	for _, workers := range []int{1, 2, 8} {
		results, err := replay.Run(context.Background(), file, []*arch.Machine{replaytest.Load(t, "gtx480+tinycache+buddy(members=2)"), replaytest.Load(t, "mesh56+buddy(members=4)+tinycache")}, replay.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := replay.WriteJSON(&b, results); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = b.String()
		}
		if b.String() != want {
			t.Errorf("%d workers: other bytes", workers)
		}
	}
}

// TestTheOrderOfOverlaysDoesNotMatter: mechanisms have their places in the seams,
// whichever was named first.
func TestTheOrderOfOverlaysDoesNotMatter(t *testing.T) {
	file := randomTrace(t, rand.New(rand.NewPCG(2, 14)))
	a, b := once(t, replaytest.Load(t, "gtx480+tinycache+buddy(members=4)"), file), once(t, replaytest.Load(t, "gtx480+buddy(members=4)+tinycache"), file)
	if diff := differ(a, b); diff != "" {
		t.Error(diff)
	}
}
