// SPDX-License-Identifier: Apache-2.0

package dac_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/affine/dac"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func load(t testing.TB, spec string) *arch.Machine {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func register(name string, number uint16, words uint8) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: number, Words: words, Virtual: name}}
}

func special(name string) trace.Operand {
	return trace.Operand{Kind: trace.OperandSpecial, Symbol: name}
}

func op(opcode string, modifiers []string, typ string, class trace.OpClass, operands ...trace.Operand) trace.Instruction {
	return trace.Instruction{Opcode: opcode, Modifiers: modifiers, Types: []string{typ}, Class: class, Operands: operands, Destinations: 1}
}

// copyKernel loads and stores the word of each thread.
func copyKernel() *trace.Kernel {
	base, ctaid, tid, ntid, index, offset, address, word := register("base", 0, 2), register("ctaid", 2, 1), register("tid", 3, 1), register("ntid", 4, 1), register("i", 5, 1), register("offset", 6, 2), register("address", 8, 2), register("x", 10, 1)
	at := trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: address.Register}
	list := []trace.Instruction{
		op("ld", []string{"param"}, "u64", trace.ClassLoad, base, trace.Operand{Kind: trace.OperandAddress, Symbol: "p"}),
		op("mov", nil, "u32", trace.ClassMove, ctaid, special("ctaid.x")),
		op("mov", nil, "u32", trace.ClassMove, tid, special("tid.x")),
		op("mov", nil, "u32", trace.ClassMove, ntid, special("ntid.x")),
		op("mad", []string{"lo"}, "s32", trace.ClassIntMad, index, ctaid, ntid, tid),
		op("mul", []string{"wide"}, "u32", trace.ClassIntMul, offset, index, trace.Operand{Kind: trace.OperandImmediate, Value: 4}),
		op("add", nil, "s64", trace.ClassIntAdd, address, base, offset),
		op("ld", []string{"global"}, "u32", trace.ClassLoad, word, at),
		op("st", []string{"global"}, "u32", trace.ClassStore, at, word),
		{Opcode: "ret", Class: trace.ClassExit},
	}
	list[0].Space, list[0].LaneBytes = trace.SpaceParam, 8
	list[7].Space, list[7].LaneBytes = trace.SpaceGlobal, 4
	list[8].Space, list[8].LaneBytes, list[8].Destinations = trace.SpaceGlobal, 4, 0
	return &trace.Kernel{
		Name: "copy", Instructions: list, Params: []trace.Param{{Name: "p", Bytes: 8}}, RegistersPerThread: 11,
		Blocks: []trace.BasicBlock{{Count: uint32(len(list)), PostDominator: trace.NoBlock}},
	}
}

const bufferBase = 0xC000_0000

// copyTrace records the kernel for blocks of some warps. wrong, when not negative, is a
// thread block whose recorded addresses are a word off.
func copyTrace(t testing.TB, blocks, warps, wrong int) *wtape.Reader {
	t.Helper()
	return copyTraceAt(t, trace.SpaceGlobal, bufferBase, blocks, warps, wrong)
}

// copyTraceAt is copyTrace with the space that the load names, and the buffer's address.
func copyTraceAt(t testing.TB, space trace.Space, base uint64, blocks, warps, wrong int) *wtape.Reader {
	t.Helper()
	kernel := copyKernel()
	if kernel.Instructions[7].Space = space; space == trace.SpaceGeneric {
		kernel.Instructions[7].Modifiers = nil
	}
	return record(t, kernel, blocks, warps, base, func(w *wtape.Writer, b int) {
		for i := range warps {
			w.Visit(i, 0, math.MaxUint32)
			at := base + uint64(128*(b*warps+i))
			if b == wrong {
				at += 4
			}
			w.AccessStrided(i, math.MaxUint32, 0, 0)
			w.AccessStrided(i, math.MaxUint32, at, 4)
			w.AccessStrided(i, math.MaxUint32, at, 4)
		}
	})
}

// record makes a trace of one launch of a kernel for blocks of some warps. The kernel's
// parameter is the address of a buffer, and block writes what a thread block does.
func record(t testing.TB, kernel *trace.Kernel, blocks, warps int, buffer uint64, block func(w *wtape.Writer, b int)) *wtape.Reader {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, kernel.Name, trace.Header{Tool: "test"}, wtape.Options{})
	check(err)
	k, err := w.AddKernel(kernel)
	check(err)
	_, err = w.BeginLaunch(trace.Launch{
		Kernel: k, Grid: trace.Dim3{X: uint32(blocks), Y: 1, Z: 1}, Block: trace.Dim3{X: uint32(32 * warps), Y: 1, Z: 1},
		Arguments: binary.LittleEndian.AppendUint64(nil, buffer),
	})
	check(err)
	for b := range blocks {
		w.BeginBlock(uint64(b))
		block(w, b)
		check(w.EndBlock())
	}
	check(w.EndLaunch())
	check(w.Finish())
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(err)
	return r
}

func count(t testing.TB, r *replay.Result, name string) uint64 {
	t.Helper()
	id, ok := counters.Lookup(name)
	if !ok {
		t.Fatalf("no counter %s", name)
	}
	return r.Total.Counters[id]
}

func run(t testing.TB, r *wtape.Reader, machines ...*arch.Machine) []replay.Result {
	t.Helper()
	results, err := replay.Run(context.Background(), r, machines, replay.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Of a copy the warps keep three instructions of ten. Every warp needs a step and an
// entry per access. Its line is asked for once, locked, and found by the load.
func TestCopyTakesAStepPerLine(t *testing.T) {
	const blocks, warps = 30, 4
	res := run(t, copyTrace(t, blocks, warps, -1), load(t, "gtx480-15+dac"))[0]
	for name, want := range map[string]uint64{
		"dac_removed_instructions": 7 * blocks * warps, "dac_affine_instructions": 10 * count(t, &res, "dac_batches"),
		"dac_address_steps": 2 * blocks * warps, "dac_address_writes": 2 * blocks * warps, "dac_address_reads": 2 * blocks * warps,
		"dac_early_requests": blocks * warps, "dac_unlocked_requests": 0, "dac_affine_loads": blocks * warps, "dac_loads": blocks * warps,
		"dac_dequeues": 2 * blocks, "dac_wrapped": 0, "l1_read_hits": blocks * warps, "l1_read_misses": blocks * warps,
	} {
		if got := count(t, &res, name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if n := count(t, &res, "dac_batches"); n < 15 || n > blocks {
		t.Errorf("%d batches of %d thread blocks on 15 SMs", n, blocks)
	}
}

// Loads that may issue before their data are there ask for nothing twice: each finds its
// line, or meets it on its way.
func TestLoadsMeetTheirEarlyLines(t *testing.T) {
	const blocks, warps = 30, 4
	m := load(t, "gtx480-15+dac(issue_before_data=true)")
	res := run(t, copyTrace(t, blocks, warps, -1), m)[0]
	met := count(t, &res, "l1_read_merges")
	if hits := count(t, &res, "l1_read_hits"); met == 0 || met+hits != blocks*warps || count(t, &res, "l1_read_misses") != blocks*warps {
		t.Errorf("%d loads: %d find their line, %d meet it, %d lines are asked for", blocks*warps, hits, met, count(t, &res, "l1_read_misses"))
	}
}

// A generic load is a request of global memory, and asked for early, by its addresses.
func TestGenericLoadsAreEarlyWhereTheyAreGlobal(t *testing.T) {
	const blocks, warps = 30, 4
	for base, want := range map[uint64]uint64{bufferBase: blocks * warps, trace.SharedWindowBase: 0} {
		res := run(t, copyTraceAt(t, trace.SpaceGeneric, base, blocks, warps, -1), load(t, "gtx480-15+dac"))[0]
		for _, name := range []string{"dac_loads", "dac_affine_loads", "dac_early_requests"} {
			if got := count(t, &res, name); got != want {
				t.Errorf("at %#x %s is %d, want %d", base, name, got, want)
			}
		}
		if got := count(t, &res, "dac_address_reads"); got != 2*blocks*warps {
			t.Errorf("at %#x warps dequeue %d addresses, want %d", base, got, 2*blocks*warps)
		}
	}
}

// A batch has all thread blocks that an SM holds when they come together.
func TestThreadBlocksThatComeTogetherAreOneBatch(t *testing.T) {
	res := run(t, copyTrace(t, 15*8, 4, -1), load(t, "gtx480-15+dac"))[0]
	if n := count(t, &res, "dac_batches"); n != 15 {
		t.Errorf("%d batches, want one per SM", n)
	}
}

// An affine warp leads all 64 warps that its predicates have bits for, from a slot behind theirs.
func TestAnAffineWarpLeadsAsManyWarpsAsItCan(t *testing.T) {
	m := load(t, "gtx480-15+dac")
	m.GPU.SMs, m.SM.MaxWarps, m.SM.MaxThreads = 1, 64, 2048
	res := run(t, copyTrace(t, 8, 8, -1), m)[0]
	if n, early := count(t, &res, "dac_batches"), count(t, &res, "dac_early_requests"); n != 1 || early != 64 {
		t.Errorf("%d batches, %d early requests; want one with 64", n, early)
	}
}

// A predicate that is the same for all threads of a thread block is compared once for it,
// however many warps it has (section 4.3).
func TestAScalarPredicateIsComparedOnceForAThreadBlock(t *testing.T) {
	const blocks = 30
	for _, warps := range []int{1, 4} {
		res := run(t, unevenTrace(t, blocks, warps, 7, 3, 1), load(t, "gtx480-15+dac"))[0]
		if got := count(t, &res, "dac_scalar_predicates"); got != blocks {
			t.Errorf("%d thread blocks of %d warps: %d comparisons", blocks, warps, got)
		}
	}
}

func TestWrongAddressStopsTheReplayWithItsPlace(t *testing.T) {
	r := copyTrace(t, 4, 2, 3)
	_, err := replay.Run(context.Background(), r, []*arch.Machine{load(t, "gtx480-15+dac")}, replay.Options{Workers: 1})
	want := "BUG: kernel copy, line 0 (ld.global.u32), thread block 3, warp 0: thread 0 has address 0xc0000300, recorded is 0xc0000304"
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
		t.Errorf("error %v", err)
	}
}

func TestResultsAreTheSameEveryTime(t *testing.T) {
	var texts [2]bytes.Buffer
	for i := range texts {
		if err := replay.WriteJSON(&texts[i], run(t, copyTrace(t, 40, 3, -1), load(t, "gtx480-15+dac"))); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("two replays differ")
	}
}

func TestSwitchedOffLeavesNoTrace(t *testing.T) {
	plain, off := load(t, "gtx480-15"), load(t, "gtx480-15+dac")
	off.Section(dac.Key).(*dac.Section).Enabled = false
	off.Name = plain.Name
	var texts [2]bytes.Buffer
	for i, m := range []*arch.Machine{plain, off} {
		if err := replay.WriteJSON(&texts[i], run(t, copyTrace(t, 40, 3, -1), m)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("a switched-off affine warp changes the result")
	}
}

// Calling every front end in every cycle changes nothing.
func TestSleepingIsNeutral(t *testing.T) {
	r := copyTrace(t, 300, 3, -1)
	var cycles [2]uint64
	for i, every := range []bool{false, true} {
		g, err := gpu.New(load(t, "gtx480-15+dac"), gpu.Options{EveryCycle: every})
		if err != nil {
			t.Fatal(err)
		}
		res, err := g.Replay(context.Background(), gputest.NewSource(r), nil)
		if err != nil {
			t.Fatal(err)
		}
		cycles[i] = uint64(res.Cycles)
	}
	if cycles[0] != cycles[1] {
		t.Errorf("%d cycles, %d when every cycle is called", cycles[0], cycles[1])
	}
}

// recorded opens a committed trace.
func recorded(t testing.TB, name string) *wtape.Reader {
	t.Helper()
	r, err := wtape.Open(filepath.Join("..", "..", "..", "traces", "recorded", name+".wtape"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// The added hardware is priced, and has the area of section 4.8: 0.21 and 0.16 mm2 per SM.
func TestHardwareHasThePublishedAreaAndPrices(t *testing.T) {
	m := load(t, "gtx480-15+dac")
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	if names := model.Unpriced(m.Mechanisms()); len(names) > 0 {
		t.Errorf("counters without a price or a reason: %v", names)
	}
	var set counters.Set
	r, err := model.Account(&set, 0)
	if err != nil {
		t.Fatal(err)
	}
	perSM := r.Node("chip/sm/dac").AreaMM2 / 15
	if math.Abs(perSM-0.37) > 0.01 {
		t.Errorf("%.3f mm2 per SM; the paper has 0.37", perSM)
	}
	id, _ := counters.Lookup("dac_enqueues")
	set[id] = 1
	if r, err = model.Account(&set, 0); err != nil {
		t.Fatal(err)
	}
	if pj := r.Node("chip/sm/dac").DynamicJ * 1e12; math.Abs(pj-5.3) > 0.01 {
		t.Errorf("an access of the tuple queue costs %.3f pJ; Table 1 has 5.3", pj)
	}
}

// What a small stack leaves to the warps is less work for the affine warp, and every
// address that it expands is still the recorded one, which the replay checks. The
// kernel of spmv has two branches inside each other.
func TestSmallStackLeavesMoreToTheWarps(t *testing.T) {
	r := recorded(t, "spmv")
	enqueues := map[int]uint64{}
	for _, depth := range []int{1, 2, 8} {
		m := load(t, "gtx480-15+dac(keep_scratchpad=false,data_dependent=follow)")
		m.Section(dac.Key).(*dac.Section).StackDepth = depth
		res := run(t, r, m)[0]
		enqueues[depth] = count(t, &res, "dac_enqueues")
		if got, want := count(t, &res, "issued_warp_instructions"), r.Totals().WarpInstructions-count(t, &res, "dac_removed_instructions")+count(t, &res, "dac_affine_instructions"); got != want {
			t.Errorf("depth %d: %d instructions are issued, want %d", depth, got, want)
		}
	}
	if enqueues[1] == 0 || enqueues[1] >= enqueues[2] || enqueues[2] != enqueues[8] {
		t.Errorf("enqueues by the depth of the stack: %v", enqueues)
	}
}

// A machine that has replayed one trace replays another as a new machine does.
func TestMachineIsReadyForAnotherTrace(t *testing.T) {
	m := load(t, "gtx480-15+dac")
	used, err := gpu.New(m, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, blocks := range []int{7, 45} {
		fresh, err := gpu.New(m, gpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var cycles [2]uint64
		for i, g := range []*gpu.GPU{used, fresh} {
			res, err := g.Replay(context.Background(), gputest.NewSource(copyTrace(t, blocks, 5, -1)), nil)
			if err != nil {
				t.Fatal(err)
			}
			cycles[i] = uint64(res.Launches[0].Counters[counters.IssuedWarp])
		}
		if cycles[0] != cycles[1] {
			t.Errorf("%d thread blocks: %d instructions are issued, %d on a new machine", blocks, cycles[0], cycles[1])
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	g, err := gpu.New(load(t, "gtx480-15+dac"), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(blocks int) float64 {
		src := gputest.NewSource(copyTrace(t, blocks, 8, -1))
		return testing.AllocsPerRun(1, func() {
			if _, err := g.Replay(context.Background(), src, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	allocations(600) // pools and queues grow to what the largest replay needs
	// Each SM makes an evaluator per launch; more thread blocks must not add to it.
	if short, long := allocations(150), allocations(600); long > short+40 {
		t.Errorf("%v allocations for a short replay, %v for one of four times as many thread blocks", short, long)
	}
}

// BenchmarkReplay isolates what affine warps cost a replay, in recorded warp
// instructions a second: nearly everything affine (saxpy), and tiles in shared memory
// (sgemm), where every address passes a queue.
func BenchmarkReplay(b *testing.B) {
	for _, name := range []string{"saxpy", "sgemm"} {
		for _, spec := range []string{"gtx480-15", "gtx480-15+dac"} {
			b.Run(name+"/"+spec, func(b *testing.B) {
				r := recorded(b, name)
				m := load(b, spec)
				for b.Loop() {
					run(b, r, m)
				}
				b.ReportMetric(float64(r.Totals().WarpInstructions)*float64(b.N)/b.Elapsed().Seconds(), "warp-insn/s")
			})
		}
	}
}
