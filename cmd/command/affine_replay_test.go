// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/timing/affine/dac"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// loadMachine loads a machine and lets change alter its section of affine warps.
func loadMachine(t *testing.T, name string, change func(*dac.Section)) *arch.Machine {
	t.Helper()
	m, err := arch.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(m.Section(dac.Key).(*dac.Section))
	}
	return m
}

func replayOne(t *testing.T, r *wtape.Reader, m *arch.Machine) replay.Result {
	t.Helper()
	results, err := replay.Run(t.Context(), r, []*arch.Machine{m}, replay.Options{Version: "test", Workers: 1})
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return results[0]
}

// counted gives a counter of the affine warps by name.
func counted(r *replay.Result, name string) uint64 {
	id, ok := counters.Lookup(name)
	if !ok {
		panic("BUG: no counter " + name)
	}
	return r.Total.Counters[id]
}

// accountedFor checks that what is issued is what was recorded, without what was removed,
// and what affine warps issue.
func accountedFor(t *testing.T, r *wtape.Reader, result *replay.Result) {
	t.Helper()
	issued := result.Total.Counters[counters.IssuedWarp]
	removed, affine := counted(result, "dac_removed_instructions"), counted(result, "dac_affine_instructions")
	if want := r.Totals().WarpInstructions - removed + affine; issued != want {
		t.Errorf("%d instructions are issued, %d recorded, %d removed, %d of affine warps", issued, r.Totals().WarpInstructions, removed, affine)
	}
	for _, pair := range [][2]string{{"dac_address_writes", "dac_address_reads"}, {"dac_predicate_writes", "dac_predicate_reads"}} {
		if in, out := counted(result, pair[0]), counted(result, pair[1]); in != out {
			t.Errorf("%s is %d, %s %d", pair[0], in, pair[1], out)
		}
	}
}

func TestEveryWorkloadReplaysWithAffineWarps(t *testing.T) {
	notUnderTheRaceDetector(t)
	for _, w := range tracetest.Draw(t, traces.List(), tracetest.Fewer(3, 30)) {
		if w.Name == "tensor-gemm" || w.Name == "hopper-gemm" {
			continue // gtx480-15 has no tensor unit
		}
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			r := recordTiny(t, w.Files, w.Program)
			if w.Name == "convolution-variants" {
				// Its PTX needs 462 registers a thread, which no thread block of gtx480-15 gets.
				if _, err := replay.Run(t.Context(), r, []*arch.Machine{loadMachine(t, "gtx480-15", nil)}, replay.Options{}); err == nil || !strings.Contains(err.Error(), "(sm.registers)") {
					t.Errorf("gtx480-15 gives %v, want the lack of registers", err)
				}
				return
			}
			result := replayOne(t, r, loadMachine(t, "gtx480-15+dac", nil))
			accountedFor(t, r, &result)
		})
	}
}

// smallest leaves every queue one entry: as many entries as warps, on an SM that kernels of
// few registers fill whatever the size of their thread blocks.
func smallest(t *testing.T) *arch.Machine {
	const warps = 16
	m := loadMachine(t, "gtx480-15+dac", func(s *dac.Section) {
		s.TupleEntries, s.AddressEntries, s.PredicateEntries = 1, warps, warps
	})
	m.SM.MaxWarps, m.SM.MaxBlocks, m.SM.MaxThreads = warps, warps, warps*trace.WarpSize
	return m
}

func TestQueuesOfOneEntryDoNotDeadlock(t *testing.T) {
	notUnderTheRaceDetector(t)
	for _, name := range tracetest.Draw(t, []string{"saxpy", "backprop", "lud", "bfs", "stencil", "convolution-separable", "kmeans", "reduction-variants"}, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := traces.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			r := recordTiny(t, w.Files, w.Program)
			m := smallest(t)
			m.L1.Bytes, m.L1.Ways = 16<<10, 2
			result := replayOne(t, r, m)
			accountedFor(t, r, &result)
		})
	}
}

// unevenText has loops of as many rounds as a word says, each with an affine load. Thread
// blocks of a batch end one after the other, and what is left of the affine stream for them
// enqueues nothing.
const unevenText = `.version 7.8
.target sm_70
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 n)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [data];
	mov.u32 %r1, %ctaid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [%rd3];
	mov.u32 %r3, 0;
	mov.u32 %r4, 0;
LOOP:
	ld.global.u32 %r5, [%rd1];
	add.s32 %r3, %r3, %r5;
	add.s64 %rd1, %rd1, 4;
	add.s32 %r4, %r4, 1;
	setp.le.u32 %p1, %r4, %r2;
	@%p1 bra LOOP;
	setp.eq.s32 %p2, %r3, -1;
	@%p2 trap;
	ret;
}
`

// A kernel ends with its last affine warp, which may end after the last of its thread blocks.
func TestThreadBlocksLeaveWhileTheAffineWarpRuns(t *testing.T) {
	files := fstest.MapFS{"k.ptx": {Data: []byte(unevenText)}, "k.star": {Data: []byte(`"""Uneven thread blocks."""
sizes = {"tiny": {"n": 200}}
def main(p):
    m = gpu.module("k.ptx")
    data = gpu.buffer("data", random.integers(i32, p.n, low=0, high=90))
    gpu.launch(m.k, grid=p.n, block=64, args=[data, u32(p.n)])
`)}}
	r := recordTiny(t, files, "k.star")
	result := replayOne(t, r, loadMachine(t, "gtx480-15+dac", nil))
	accountedFor(t, r, &result)
	if counted(&result, "dac_supplied_branches") == 0 {
		t.Error("the loop does not depend on data")
	}
}

// Predicates of warps whose first and last thread differ are compared on the lanes, by an
// instruction of the affine warp for each warp (section 4.3); others need none.
func TestLanePredicatesAreIssued(t *testing.T) {
	const text = `.version 7.8
.target sm_70
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [data];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	setp.lt.u32 %p1, %r2, %r1;
	@%p1 st.global.u32 [%rd1], %r1;
	ret;
}
`
	const warps = 3
	affine := map[int]uint64{}
	for _, n := range []int{0, 32 * warps, 16} {
		files := fstest.MapFS{"k.ptx": {Data: []byte(text)}, "k.star": {Data: fmt.Appendf(nil, `"""A predicate."""
sizes = {"tiny": {"n": %d}}
def main(p):
    m = gpu.module("k.ptx")
    gpu.launch(m.k, grid=1, block=%d, args=[gpu.buffer("data", random.integers(i32, 1, low=0, high=9)), u32(p.n)])
`, n, 32*warps)}}
		r := recordTiny(t, files, "k.star")
		result := replayOne(t, r, loadMachine(t, "gtx480-15+dac", nil))
		accountedFor(t, r, &result)
		affine[n] = counted(&result, "dac_affine_instructions")
		want := uint64(0)
		if n == 16 {
			want = 1 // the first warp: the others are above it
		}
		if got := counted(&result, "dac_lane_predicates"); got != want {
			t.Errorf("n = %d: %d predicates are compared on the lanes, want %d", n, got, want)
		}
	}
	if affine[0] != affine[32*warps] || affine[16] != affine[0]+1 {
		t.Errorf("affine warps issue %v instructions by n; comparing on the lanes is one more", affine)
	}
}

func TestRandomAffineProgramsReplayWithQueuesOfOneEntry(t *testing.T) {
	notUnderTheRaceDetector(t)
	var early uint64
	for _, seed := range tracetest.Seeds(t, 25, tracetest.Fewer(2, 4)) {
		rng := rand.New(rand.NewPCG(seed, 8))
		p := affineProgram{rng: rng}
		files := fstest.MapFS{"k.ptx": {Data: []byte(p.text())}, "k.star": {Data: []byte(affineHost(rng))}}
		r := recordTiny(t, files, "k.star")
		result := replayOne(t, r, smallest(t))
		accountedFor(t, r, &result)
		early += counted(&result, "dac_early_requests")
	}
	if tracetest.Whole() && early == 0 {
		t.Error("nothing was asked for early")
	}
}

// Affine warps go with every scheduler, DRAM setting and with lane caches, and the work
// is the same.
func TestAffineWarpsCombine(t *testing.T) {
	w, err := traces.Find("hotspot")
	if err != nil {
		t.Fatal(err)
	}
	r := recordTiny(t, w.Files, w.Program)
	base := replayOne(t, r, loadMachine(t, "gtx480-15+dac", nil))
	for _, name := range tracetest.Draw(t, []string{"gtx480+dac", "gtx480-15+dac+lrr", "gtx480-15+oldest+dac", "gtx480-15+dac+fcfs", "gtx480-15+dac+tinycache", "gtx480-15+tinycache+dac", "gtx480-15+dac+mta", "gtx480-15+dac+perfect-memory", "mesh56+dac"}, tracetest.Fewer(2, 3)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := replayOne(t, r, loadMachine(t, name, nil))
			accountedFor(t, r, &result)
			for _, same := range []string{"dac_removed_instructions", "dac_affine_loads", "dac_address_reads"} {
				if a, b := counted(&base, same), counted(&result, same); a != b {
					t.Errorf("%s is %d, %d on gtx480-15", same, b, a)
				}
			}
		})
	}
}

func TestAffineWarpsThatAreOffChangeNothing(t *testing.T) {
	w, err := traces.Find("backprop")
	if err != nil {
		t.Fatal(err)
	}
	r := recordTiny(t, w.Files, w.Program)
	plain := replayOne(t, r, loadMachine(t, "gtx480-15", nil))
	off := replayOne(t, r, loadMachine(t, "gtx480-15+dac", func(s *dac.Section) { s.Enabled = false }))
	if plain.Total.Counters != off.Total.Counters || plain.Total.Cycles != off.Total.Cycles {
		t.Errorf("%d cycles without affine warps, %d with those that are off", plain.Total.Cycles, off.Total.Cycles)
	}
}

func TestMachinesThatCannotHaveAffineWarpsAreRefused(t *testing.T) {
	for name, want := range map[string]string{
		"tesla-c870+dac": "four tuples of a base and six offsets need 28",
		"v100+dac+set(sm.max_warps=96,sm.max_threads=3072)": "an affine warp serves at most 64",
	} {
		if _, err := arch.Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := arch.Load("gtx480-15+dac+../../timing/affine/dac/testdata/short-queues.yaml"); err == nil || !strings.Contains(err.Error(), "each needs an entry to make progress") {
		t.Errorf("short queues: %v", err)
	}
}

// A trace of another simulator names registers only.
func TestTraceWithoutOperandKindsIsRefused(t *testing.T) {
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "bare", trace.Header{Tool: "test"}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	register := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Words: 1, Virtual: "R0"}}
	number, err := w.AddKernel(&trace.Kernel{
		Name:         "bare",
		Instructions: []trace.Instruction{{Opcode: "IADD3", Class: trace.ClassIntAdd, Operands: []trace.Operand{register, register}, Destinations: 1}, {Opcode: "EXIT", Class: trace.ClassExit}},
		Blocks:       []trace.BasicBlock{{Count: 2, PostDominator: trace.NoBlock}},
	})
	if err == nil {
		_, err = w.BeginLaunch(trace.Launch{Kernel: number, Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	w.BeginBlock(0)
	w.Visit(0, 0, ^uint32(0))
	if err = w.EndBlock(); err == nil {
		if err = w.EndLaunch(); err == nil {
			err = w.Finish()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = replay.Run(t.Context(), r, []*arch.Machine{loadMachine(t, "gtx480-15+dac", nil)}, replay.Options{Version: "test", Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "the trace has no operand kinds") || !strings.Contains(err.Error(), "record the program with warptape record") {
		t.Errorf("error %v", err)
	}
}
