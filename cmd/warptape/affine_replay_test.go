package main

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/timing/affine/dac"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
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

func replayOne(t *testing.T, r *trace.Reader, m *arch.Machine) replay.Result {
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
func accountedFor(t *testing.T, r *trace.Reader, result *replay.Result) {
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
	for _, w := range traces.List() {
		if w.Name == "tensor-gemm" {
			continue // gtx480-15 has no tensor unit
		}
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			r := recordTiny(t, w.Files, w.Program)
			result := replayOne(t, r, loadMachine(t, "gtx480-15+dac", nil))
			accountedFor(t, r, &result)
		})
	}
}

// smallest leaves every queue one entry.
func smallest(warps int) func(*dac.Section) {
	return func(s *dac.Section) { s.TupleEntries, s.AddressEntries, s.PredicateEntries = 1, warps, warps }
}

func TestQueuesOfOneEntryDoNotDeadlock(t *testing.T) {
	for _, name := range []string{"saxpy", "backprop", "lud", "bfs", "stencil", "convolution-separable", "kmeans", "reduction-variants"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := traces.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			r := recordTiny(t, w.Files, w.Program)
			m := loadMachine(t, "gtx480-15+dac", smallest(48))
			m.L1.Bytes, m.L1.Ways = 16<<10, 2
			result := replayOne(t, r, m)
			accountedFor(t, r, &result)
		})
	}
}

func TestRandomAffineProgramsReplayWithQueuesOfOneEntry(t *testing.T) {
	var early uint64
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 8))
		p := affineProgram{rng: rng}
		files := fstest.MapFS{"k.ptx": {Data: []byte(p.text())}, "k.star": {Data: []byte(affineHost(rng))}}
		r := recordTiny(t, files, "k.star")
		result := replayOne(t, r, loadMachine(t, "gtx480-15+dac", smallest(48)))
		accountedFor(t, r, &result)
		early += counted(&result, "dac_early_requests")
	}
	if early == 0 {
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
	for _, name := range []string{"gtx480+dac", "gtx480-15+dac+lrr", "gtx480-15+oldest+dac", "gtx480-15+dac+fcfs", "gtx480-15+dac+tinycache", "gtx480-15+tinycache+dac", "gtx480-15+dac+mta", "gtx480-15+dac+perfect-memory", "mesh56+dac"} {
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
		"v100+dac":       "the affine warp needs one",
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
	w, err := trace.NewWriter(&file, "bare", trace.Header{Tool: "test"}, trace.Options{})
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
	r, err := trace.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = replay.Run(t.Context(), r, []*arch.Machine{loadMachine(t, "gtx480-15+dac", nil)}, replay.Options{Version: "test", Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "the trace has no operand kinds") || !strings.Contains(err.Error(), "record the program with warptape record") {
		t.Errorf("error %v", err)
	}
}
