// SPDX-License-Identifier: Apache-2.0

package teslamatch

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	_ "github.com/warptape/warptape/timing/mechanisms"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/tesla"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

func recorded(t *testing.T, text string, c machine.Config) *wtape.Reader {
	t.Helper()
	k, err := language.Assemble("k", text)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := Record(k, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func random(t *testing.T, seed uint64) *wtape.Reader {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 11)), depth: 3}
	c := machine.Reference(1, 8)
	c.RegisterAddressBits++
	return recorded(t, g.program(), c)
}

func specOf(multiprocessors, processors int) string {
	c := machine.Reference(multiprocessors, processors)
	c.RegisterAddressBits++
	return Spec(c)
}

// A trace holds what its reader checks.
func TestTracesVerify(t *testing.T) {
	for seed := range uint64(20) {
		if err := verification.Verify(random(t, seed)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// Slots have causes that a watcher sees as the counters have them, by line. A core that
// is called in every cycle does the same; what was recorded is what issues.
func TestReplaysAddUp(t *testing.T) {
	wide := 0
	for _, seed := range tracetest.Seeds(t, 40, 6) {
		r := random(t, seed)
		m := replaytest.Load(t, specOf(1+int(seed%3), 1<<(seed%7)))
		width, _ := m.Warps()
		if width > 32 && refusal(t, r, m.Name) != "" {
			continue // lanes part that are in two warps of 32
		}
		wide += width / 64
		var runs [2]*gpu.Run
		for i := range runs {
			ledger := gputest.NewSlotLedger()
			g, err := gpu.New(m, gpu.Options{Watcher: ledger, EveryCycle: i == 1, Lines: true})
			if err != nil {
				t.Fatal(err)
			}
			if runs[i], err = g.Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			ledger.Check(t, m.Name, r, runs[i].Profiles, &runs[i].Total)
		}
		gputest.Conserves(t, m, &runs[0].Total)
		if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
			t.Fatalf("seed %d: called in every cycle (-asleep +called):\n%.2000s", seed, diff)
		}
		c := &runs[0].Total
		if width == 32 && c[counters.IssuedWarp] != r.Totals().WarpInstructions || c[counters.IssuedThread] != r.Totals().ThreadInstructions {
			t.Errorf("seed %d: %d warp and %d thread instructions, recorded %d and %d", seed, c[counters.IssuedWarp], c[counters.IssuedThread], r.Totals().WarpInstructions, r.Totals().ThreadInstructions)
		}
		if got, want := c[counters.IssueSlots], uint64(m.GPU.SMs)*uint64(runs[0].Cycles); got != want {
			t.Errorf("seed %d: %d issue slots, want %d", seed, got, want)
		}
		var rows uint64
		for _, l := range runs[0].Lines[0] {
			rows += l[counters.IssuedWarp] + counted(&l, "tesla_replays")
		}
		if issues := counted(c, "tesla_rows") / uint64(width/m.Section(tesla.Key).(*tesla.Section).Processors); rows != issues {
			t.Errorf("seed %d: lines have %d issues, %d were counted", seed, rows, issues)
		}
	}
	if tracetest.Whole() && wide < 3 {
		t.Errorf("%d replays in warps of 64: too few to tell", wide)
	}
}

func TestResultsDoNotDependOnWorkers(t *testing.T) {
	r := random(t, 3)
	machines := []*arch.Machine{replaytest.Load(t, specOf(1, 8)), replaytest.Load(t, specOf(2, 32)), replaytest.Load(t, specOf(3, 4))}
	one := replaytest.Run(t, r, replay.Options{Workers: 1}, machines...)
	two := replaytest.Run(t, r, replay.Options{Workers: 2, Cores: 2}, machines...)
	for i := range one {
		if one[i].Total.Cycles != two[i].Total.Cycles || one[i].Total.Counters != two[i].Total.Counters {
			t.Errorf("%s: %d and %d cycles", one[i].Machine, one[i].Total.Cycles, two[i].Total.Cycles)
		}
	}
}

// A warp has as many lanes as its machine says, and no more of them are active.
func TestActiveLanesAreThoseOfTheMachinesWarps(t *testing.T) {
	r := recorded(t, ".block 96\nNOP\nEXIT", machine.Reference(1, 8))
	for processors, want := range map[int]float64{8: 100, 32: 100, 64: 75} {
		s := replaytest.Run(t, r, replay.Options{}, replaytest.Load(t, specOf(1, processors)))[0]
		for i, d := range replay.Declarations() {
			if d.Name == "lanes_active_percent" && s.Total.Metrics[i] != want {
				t.Errorf("%d processors: %g %% of lanes are active, want %g", processors, s.Total.Metrics[i], want)
			}
		}
	}
}

// refusal is why a trace does not replay, empty when it does.
func refusal(t *testing.T, r *wtape.Reader, architecture string) string {
	t.Helper()
	_, err := replay.Run(context.Background(), r, []*arch.Machine{replaytest.Load(t, architecture)}, replay.Options{})
	if err == nil {
		return ""
	}
	return err.Error()
}

const spin = "MVI r1, %\nMVI r2, 1\nl: SUB r1, r1, r2\nBNE r1, l\n"

// A kernel that goes well where it was recorded may not go on another machine.
func TestReplaysThatWouldDoSomethingElseAreRefused(t *testing.T) {
	long, short := strings.ReplaceAll(spin, "%", "500"), strings.ReplaceAll(spin, "%", "40")
	lane := "LDS r0, TID\nMVI r1, 10\nSHR r0, r0, r1\n"
	wide := machine.Reference(4, 8)
	for name, c := range map[string]struct {
		text string
		in   machine.Config
		on   string
		want string
	}{
		"warp slots":            {".grid 5\n.block 128\n" + long + "EXIT", wide, specOf(1, 8), "thread block 4 takes its warp slot, 0, while it runs"},
		"registers":             {".registers 32\n.grid 4\n.block 96\n" + long + "EXIT", wide, Spec(machine.Reference(1, 8)), "takes registers 0 to 127, which the warp uses"},
		"a robbed block index":  {".grid 5\n" + short + "LDS r1, BIDX\nEXIT", wide, specOf(1, 8), "k:6: LDS: thread block 0, warp 0 (multiprocessor 0, cycle"},
		"a robbed barrier":      {".grid 5\n" + short + "BAR\nEXIT", wide, specOf(1, 8), "another thread block has taken the block slot 0"},
		"a warp at a barrier":   {".grid 5\n.block 64\nLDS r0, TID\nMVI r1, 15\nSHR r0, r0, r1\nBNE r0, w\n" + long + "w: BAR\nEXIT", wide, specOf(1, 8), "takes the block slot 0 while warps wait at a barrier"},
		"rows":                  {lane + "ST r1, r0\nEXIT", wide, specOf(4, 16), "kernel kernel depends on rows: k:4: ST r1, r0: lanes 0 and 1 store different values"},
		"replays":               {lane + "MVI r1, 32\nMUL r0, r0, r1\nLD r0, r0\nEXIT", wide, specOf(4, 16), "depends on replays: k:6: LD r0, r0"},
		"timing":                {".grid 2\n" + lane + "ST r0, r0\nEXIT", wide, specOf(4, 8), "depends on timing: k:5: ST r0, r0: thread block 1 uses word 0"},
		"memory":                {lane + "ST r0, r0\nEXIT", wide, Spec(wide) + "+set(tesla.shared_address_bits=4)", "uses 32 words of shared memory, and the machine has 16"},
		"addresses that wrap":   {lane + "MVI r2, 1024\nADD r0, r0, r2\nST r0, r0\nEXIT", wide, Spec(wide) + "+set(tesla.shared_address_bits=11)", "addresses beyond the memories"},
		"instructions":          {strings.Repeat("NOP\n", 300) + "EXIT", wide, "tesla-rtl", "uses 301 instructions, and the machine has 256"},
		"block of many warps":   {".block 256\nEXIT", wide, Spec(wide) + "+set(tesla.warp_slots=4)", "a thread block needs 8 warps of a multiprocessor, which has 4 (tesla.warp_slots)"},
		"nothing that is wrong": {".grid 4\n.block 128\n" + short + "EXIT", wide, specOf(1, 32), ""},
	} {
		got := refusal(t, recorded(t, c.text, c.in), c.on)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// What depends on rows alone replays with other multiprocessors; what depends on timing
// replays where it was recorded.
func TestDependentKernelsReplayWhereTheyDoTheSame(t *testing.T) {
	lane := "LDS r0, TID\nMVI r1, 10\nSHR r0, r0, r1\n"
	c := machine.Reference(2, 8)
	if got := refusal(t, recorded(t, lane+"ST r1, r0\nEXIT", c), Spec(machine.Reference(1, 8))); got != "" {
		t.Error(got)
	}
	if got := refusal(t, recorded(t, ".grid 2\n"+lane+"ST r0, r0\nEXIT", c), Spec(c)); got != "" {
		t.Error(got)
	}
}

func TestKernelsInOtherLanguagesAreRefused(t *testing.T) {
	if got := refusal(t, replaytest.Recorded(t, "spmv"), "tesla-rtl"); !strings.Contains(got, "tesla-rtl executes kernels in its own language alone") {
		t.Errorf("got %q", got)
	}
}

func TestTheMachineGoesWithNoMechanismAndNothingElseInItsPlace(t *testing.T) {
	for spec, want := range map[string]string{
		"tesla-rtl+tinycache":                     "goes with no other mechanism: a multiprocessor has its memories inside",
		"tesla-rtl+perfect-memory":                "perfect_memory",
		"tesla-rtl+lrr":                           "sm.scheduler means nothing to this machine",
		"tesla-rtl+set(l2.input_queue=16)":        "l2.input_queue means nothing to this machine",
		"tesla-rtl+set(gpu.core=simt)":            "tesla.processors: is of cores of the kind tesla-rtl, and gpu.core is simt",
		"gtx480+set(gpu.core=tesla-rtl)":          "",
		"tesla-rtl+set(gpu.dispatch=round_robin)": "needs gpu.dispatch lowest",
		"tesla-rtl+set(gpu.launch_cycles=5)":      "needs gpu.launch_cycles 0",
		"tesla-rtl+set(tesla.processors=12)":      "is not a power of two",
		"tesla-rtl+set(tesla.processors=64)":      "are 64, and a warp has 32 threads (tesla.warp_width)",
		"tesla-rtl+set(tesla.processors=128)":     "out of range",
	} {
		m, err := arch.Load(spec)
		if want == "" {
			if err != nil {
				t.Fatal(err)
			}
			_, err = gpu.New(m, gpu.Options{})
			want = "need the section tesla"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", spec, err, want)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	const text = ".grid 4\n.block 128\nLDS r0, TID\nMVI r1, 2000\nMVI r2, 1\nMVI r4, 8\nMUL r3, r0, r4\nl: SUB r1, r1, r2\nMAD r5, r1, r2, r0\nLD r6, r0\nBNE r1, l\nEXIT"
	k, err := language.Assemble("k", text)
	if err != nil {
		b.Fatal(err)
	}
	r, _, err := Record(k, machine.Reference(1, 8))
	if err != nil {
		b.Fatal(err)
	}
	m, err := arch.Load(Spec(machine.Reference(1, 8)))
	if err != nil {
		b.Fatal(err)
	}
	source := gputest.NewSource(r)
	issues := uint64(0)
	for b.Loop() {
		g, err := gpu.New(m, gpu.Options{})
		if err != nil {
			b.Fatal(err)
		}
		run, err := g.Replay(context.Background(), source, nil)
		if err != nil {
			b.Fatal(err)
		}
		issues += run.Total[counters.IssuedWarp]
	}
	b.ReportMetric(float64(issues)/b.Elapsed().Seconds(), "issues/s")
}
