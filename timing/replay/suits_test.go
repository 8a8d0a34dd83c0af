// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// gathering is a kernel whose thread blocks all read the same table, at other places
// each, and write a line of their own.
func gathering(blocks int) gputest.Launch {
	k := gputest.NewKernel("gathering")
	for i := range 4 {
		k.Load(trace.SpaceGlobal, 1+i, 9).Op(trace.ClassF32Fma, 6, 1+i, 6)
	}
	k.Store(trace.SpaceGlobal, 8, 6).Exit()
	return gputest.Launch{Kernel: k, Blocks: blocks, Threads: 128}
}

// randomMachine is a machine without a description of its own.
func randomMachine(t testing.TB, random *rand.Rand, i int) *arch.Machine {
	pick := func(of ...int) int { return of[random.IntN(len(of))] }
	m := load(t, []string{"gtx480", "v100", "gpsim-soc"}[i%3])[0]
	m.Name = fmt.Sprintf("random%d", i)
	m.GPU.SMs = pick(1, 2, 3, 7, 16, 56, 500)
	m.SM.MaxBlocks = pick(1, 2, 5, 8, 32)
	m.SM.Schedulers = pick(1, 2, 4)
	m.L2.Slice.Bytes *= pick(1, 2, 4)
	m.DRAM.GigabytesPerSecond *= float64(pick(1, 2, 3))
	return m
}

// No report is wrong, whatever machine replays a sample. The interval holds the cycles
// of the whole, or a warning says that the sample is not for this machine and what to
// do.
func TestSampleOnAnyMachineHoldsTheTruthOrSaysThatItDoesNotSuit(t *testing.T) {
	kinds := []func(int) gputest.Launch{streaming, tiled, computing, gathering, homogeneous, waiting}
	warned := 0
	cases := tracetest.Seeds(t, 18, 1)
	for _, seed := range cases {
		i, random := int(seed), rand.New(rand.NewPCG(20, seed))
		var list []gputest.Launch
		for range 1 + random.IntN(2) {
			list = append(list, kinds[random.IntN(len(kinds))](100+random.IntN(400)))
		}
		whole := gputest.Trace(t, list...)
		part := sampled(t, whole, fmt.Sprintf("fraction=%.2f,waves=%d,for=%dx8/1536/32768/49152/0", 0.02+0.3*random.Float64(), 2+random.IntN(4), 1+random.IntN(8)))
		m := []*arch.Machine{randomMachine(t, random, i)}
		full, estimate := replayAll(t, whole, m)[0], replayAll(t, part, m)[0]
		if estimate.Sampled == nil {
			continue
		}
		u, cycles := estimate.Total.Uncertainty, float64(full.Total.Cycles)
		told := strings.Contains(strings.Join(estimate.Warnings, "\n"), "does not suit "+m[0].Name) &&
			strings.Contains(strings.Join(estimate.Warnings, "\n"), "--sample auto,for="+m[0].Name)
		if told {
			warned++
		}
		t.Logf("%d: %d SMs x %d: %+.1f %% ± %.1f %%, told %t %v", i, m[0].GPU.SMs, m[0].SM.MaxBlocks, 100*(float64(estimate.Total.Cycles)/cycles-1), u.Percent, told, u.ExposedPercent)
		if inside := cycles >= u.Low-1 && cycles <= u.High+1; !inside && !told {
			t.Errorf("%d: %d SMs of %d blocks: %d cycles (%.0f to %.0f), %.0f are true, and no word of it: %v", i, m[0].GPU.SMs, m[0].SM.MaxBlocks, estimate.Total.Cycles, u.Low, u.High, cycles, estimate.Warnings)
		}
	}
	if tracetest.Whole() && (warned == 0 || warned == len(cases)) {
		t.Errorf("%d of %d replays warn: the machines are all alike", warned, len(cases))
	}
}

// The same of slices: where the whole waits for DRAM, or meets in atomics, a part of the
// machine may tell nothing, and says so.
func TestSliceOfAnyMachineHoldsTheTruthOrSaysThatItDoesNotSuit(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 5))
	kinds := []func(int) gputest.Launch{streaming, tiled, computing, gathering, homogeneous, waiting}
	warned := 0
	cases := 18
	if !tracetest.Whole() {
		cases = tracetest.Fewer(1, 3)
	}
	for i := range cases {
		parts := []int{2, 4, 8}[random.IntN(3)]
		whole := gputest.Trace(t, kinds[i%len(kinds)](200+random.IntN(800)))
		m := []*arch.Machine{randomMachine(t, random, i)}
		m[0].GPU.SMs = parts * (1 + random.IntN(4))
		full, estimate := replayAll(t, whole, m)[0], replayAll(t, sampled(t, whole, fmt.Sprintf("sms=1/%d", parts)), m)[0]
		u, cycles := estimate.Total.Uncertainty, float64(full.Total.Cycles)
		told := strings.Contains(strings.Join(estimate.Warnings, "\n"), "does not suit "+m[0].Name)
		if told {
			warned++
		}
		t.Logf("%d: 1/%d of %d SMs x %d: %+.1f %% ± %.1f %%, told %t %v", i, parts, m[0].GPU.SMs, m[0].SM.MaxBlocks, 100*(float64(estimate.Total.Cycles)/cycles-1), u.Percent, told, u.ExposedPercent)
		if inside := cycles >= u.Low-1 && cycles <= u.High+1; !inside && !told {
			t.Errorf("%d: 1/%d of %d SMs: %d cycles (%.0f to %.0f), %.0f are true, and no word of it", i, parts, m[0].GPU.SMs, estimate.Total.Cycles, u.Low, u.High, cycles)
		}
	}
	if tracetest.Whole() && (warned == 0 || warned == cases) {
		t.Errorf("%d of %d replays warn: the machines are all alike", warned, cases)
	}
}

// One machine of two holds more than is stored: its column says so, the other does not.
func TestWarningsNameTheMachineThatTheSampleDoesNotSuit(t *testing.T) {
	list := machines()[:2]
	list[1].GPU.SMs = 60
	whole := gputest.Trace(t, homogeneous(2000))
	results := run(t, sampled(t, whole, "count=200,min=1"), list, Options{})
	if len(results[0].Warnings) != 0 || len(results[1].Warnings) != 1 {
		t.Fatalf("warnings %q and %q", results[0].Warnings, results[1].Warnings)
	}
	var b bytes.Buffer
	if err := WriteTable(&b, results); err != nil {
		t.Fatal(err)
	}
	want := "warning: the sample does not suit two: of launch 0 (kernel homogeneous) it stores 200 thread blocks, and the machine holds 480 at a time; 1 of 1 launches, with 100.0 % of the cycles, can only be guessed: record it with --sample auto,for=two, or replay the whole trace"
	if !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
	full := run(t, whole, list, Options{})
	for i := range full {
		u, cycles := results[i].Total.Uncertainty, float64(full[i].Total.Cycles)
		if cycles < u.Low || cycles > u.High {
			t.Errorf("%s: %g to %g cycles, %g are true", list[i].Name, u.Low, u.High, cycles)
		}
	}
}

// A quarter of a machine of three SMs is one of them, which has to do a third more.
func TestSliceThatAMachineHasNoEqualOfIsWarnedOf(t *testing.T) {
	m := machines()[1]
	m.GPU.SMs = 3
	m.Network.Topology, m.L2.Partitions, m.L2.Slice.Ways = "crossbar", 4, 4
	whole := gputest.Trace(t, homogeneous(512))
	got := run(t, sampled(t, whole, "sms=1/4"), []*arch.Machine{m}, Options{})[0].Warnings
	if len(got) != 1 || !strings.Contains(got[0], "does not suit two: it is of 1 of 4 parts of a machine, for which 1 of 3 SMs stand: record it with --sample auto,for=two") {
		t.Errorf("got %q", got)
	}
}

// replayAll replays with the machines' own memory systems.
func replayAll(t testing.TB, r *wtape.Reader, list []*arch.Machine) []Result {
	t.Helper()
	results, err := Run(t.Context(), r, list, Options{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// A slice of a quarter of 82 SMs is replayed on 21 of them. Its two fills are of these, not
// of 20.5, so that nothing has to be guessed.
func TestSliceStoresFillsOfTheSMsThatItsReplayHas(t *testing.T) {
	random := rand.New(rand.NewPCG(82, 4))
	for range 12 {
		m := machines()[1]
		all := 2 + random.IntN(6)
		kept := 1 + random.IntN(all-1)
		m.GPU.SMs, m.SM.MaxBlocks = all+random.IntN(24), 8
		m.Network.Topology, m.L2.Partitions, m.L2.Slice.Ways = "crossbar", 4, 16
		whole := gputest.Trace(t, homogeneous(m.GPU.SMs*8*5))
		policy := fmt.Sprintf("sms=%d/%d,fraction=0.0001,waves=2,for=%dx8/1536/32768/49152/0", kept, all, m.GPU.SMs)
		got := run(t, sampled(t, whole, policy), []*arch.Machine{m}, Options{})[0]
		if got.Sampled == nil {
			t.Errorf("%s: stores everything", policy)
			continue
		}
		if guessed := got.Total.Uncertainty.ExposedPercent["few_fills"]; guessed > 0 {
			t.Errorf("%s: %.0f %% of the cycles are guessed: %q", policy, guessed, got.Warnings)
		}
	}
}
