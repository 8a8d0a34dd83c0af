// SPDX-License-Identifier: Apache-2.0

package units

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

func matrixOf(opcode, modifiers, types string) *trace.Instruction {
	return &trace.Instruction{Class: trace.ClassTensor, Opcode: opcode, Modifiers: strings.Fields(modifiers), Types: strings.Fields(types)}
}

// TestWorkOfMatrixInstructions: m x n x k multiply-adds, of PTX and of machine code. Volta does
// mma.m8n8k4 in two or four steps (Raihan et al., arXiv 1811.08309).
func TestWorkOfMatrixInstructions(t *testing.T) {
	for _, c := range []struct {
		in           *trace.Instruction
		rate         string
		multiplyAdds int
	}{
		{matrixOf("wmma", "mma sync aligned row col m32n8k16", "f16 f32"), "f16_f32", 4096},
		{matrixOf("wmma", "mma sync aligned row col m8n32k16", "f16 f16"), "f16", 4096},
		{matrixOf("wmma", "mma sync m16n16k8", "f32 tf32 tf32 f32"), "tf32", 2048},
		{matrixOf("mma", "sync aligned m8n8k4 row col", "f32 f16 f16 f16"), "f16_f32", 1024},
		{matrixOf("mma", "sync aligned m8n8k4 row col", "f64 f64 f64 f64"), "f64", 256},
		{matrixOf("mma", "sp::ordered_metadata sync m16n8k64", "f32 e4m3 e5m2 f32"), "f8", 4096},
		{matrixOf("mma", "sync m16n8k256 and popc", "s32 b1 b1 s32"), "bits", 32768},
		{matrixOf("wmma", "mma sp sync m16n8k32", "f32 f16 f16 f32"), "f16_f32", 2048},
		{matrixOf("HMMA", "SP 16832 F32", ""), "f16_f32", 2048},
		{matrixOf("wgmma", "mma_async sync m64n24k16", "f32 bf16 bf16"), "bf16", 16 * 24 * 16},
		{matrixOf("HMMA", "884 F32 F32 STEP2", ""), "f16_f32", 256},
		{matrixOf("HMMA", "884 F16 F16 STEP1", ""), "f16", 512},
		{matrixOf("HMMA", "1688 F32", ""), "f16_f32", 1024},
		{matrixOf("HMMA", "16816 F32 BF16", ""), "bf16", 2048},
		{matrixOf("IMMA", "16832 S8 S8 SAT", ""), "int8", 4096},
		{matrixOf("IMMA", "8832 U4 S4", ""), "int4", 2048},
		{matrixOf("BMMA", "168256 XOR POPC", ""), "bits", 32768},
		{matrixOf("DMMA", "884", ""), "f64", 256},
		{matrixOf("HGMMA", "64x256x16 F32", ""), "f16_f32", 65536},
		{matrixOf("HMMA", "", ""), "", 0},
		{matrixOf("HMMA", "1632 832 168 88 16 8 64x128 F32", ""), "f16_f32", 0}, // no shapes: n is 8, and there is a depth
		{matrixOf("mma", "m16n8kX m0n8k8 m16n8k999999999999999999999", "f16 f16 f16 f16"), "f16", 0},
	} {
		if p := productOf(c.in); p.rate != c.rate || p.multiplyAdds != c.multiplyAdds {
			t.Errorf("%s %v: %q, %d multiply-adds, want %q, %d", c.in.Opcode, c.in.Modifiers, p.rate, p.multiplyAdds, c.rate, c.multiplyAdds)
		}
	}
}

// TestLatenciesOfProducts: mma.m16n8k16 takes 24.7 cycles, and two of them, as
// wmma's 16 x 16 x 16, some 33. A warpgroup's product of 256 columns takes 128 on the H100.
func TestLatenciesOfProducts(t *testing.T) {
	for _, c := range []struct {
		machine string
		in      *trace.Instruction
		want    arch.Latency
	}{
		{"a100", matrixOf("mma", "sync m16n8k16", "f32 f16 f16 f32"), arch.Latency{Cycles: 25, Interval: 8}},
		{"a100", matrixOf("wmma", "mma sync m16n16k16", "f32 f32"), arch.Latency{Cycles: 33, Interval: 16}},
		{"h100", matrixOf("wgmma", "mma_async sync m64n256k16", "f32 f16 f16"), arch.Latency{Cycles: 128, Interval: 128}},
		{"h100", matrixOf("wgmma", "mma_async sync m64n8k16", "f32 f16 f16"), arch.Latency{Cycles: 17, Interval: 4}},
		{"h100", matrixOf("mma", "sync m16n8k16", "f32 f16 f16 f32"), arch.Latency{Cycles: 23, Interval: 6}},
		{"h100", matrixOf("mma", "sync m8n8k4", "f64 f64 f64 f64"), arch.Latency{Cycles: 25, Interval: 8}},
		{"v100", matrixOf("wmma", "mma sync m16n16k16", "f32 f32"), arch.Latency{Cycles: 54, Interval: 32}},
		{"v100", matrixOf("HMMA", "", ""), arch.Latency{Cycles: 54, Interval: 32}},
		{"qv100-ref", matrixOf("mma", "sync m16n8k8", "f16 f16 f16 f16"), arch.Latency{Cycles: 64, Interval: 64}},
	} {
		m, err := arch.Load(c.machine)
		if err != nil {
			t.Fatal(err)
		}
		if got := LatencyOfInstruction(&m.SM, c.in); got != c.want {
			t.Errorf("%s: %s %v takes %+v, want %+v", c.machine, c.in.Opcode, c.in.Modifiers, got, c.want)
		}
	}
}

// Without rates every product takes what the machine says of all, and a part of a warpgroup's one interval more for each
// further 16 columns.
func TestProductsWithoutRatesGrowWithTheirColumns(t *testing.T) {
	m, err := arch.Load("qv100-ref")
	if err != nil {
		t.Fatal(err)
	}
	if m.SM.TensorRates.Given() {
		t.Fatal("the machine has rates")
	}
	whole := LatencyOf(&m.SM.Latencies, trace.ClassTensor)
	for _, c := range []struct {
		in   *trace.Instruction
		more int
	}{
		{matrixOf("wmma", "mma sync m8n32k16", "f16 f32"), 0}, {matrixOf("wgmma", "mma_async sync", "f32 f16 f16"), 0},
		{matrixOf("mma", "sync m16n8k16", "f32 f16 f16 f32"), 0}, {matrixOf("wgmma", "mma_async sync m64n8k16", "f32 f16 f16"), 0}, {matrixOf("wgmma", "mma_async sync m64n16k16", "f32 f16 f16"), 0},
		{matrixOf("wgmma", "mma_async sync m64n24k16", "f32 f16 f16"), 1}, {matrixOf("wgmma", "mma_async sync m64n64k16", "f32 f16 f16"), 3}, {matrixOf("wgmma", "mma_async sync m64n256k16", "f32 f16 f16"), 15},
	} {
		want := arch.Latency{Cycles: whole.Cycles + c.more*whole.Interval, Interval: whole.Interval * (1 + c.more)}
		if got := LatencyOfInstruction(&m.SM, c.in); got != want {
			t.Errorf("%s %v takes %+v, want %+v", c.in.Opcode, c.in.Modifiers, got, want)
		}
	}
}

// TestNoProductIsLongerThanTheLongest: an SM plans for results no later than Longest, for all
// machines, rates and products, and refuses the others.
func TestNoProductIsLongerThanTheLongest(t *testing.T) {
	var all []*trace.Instruction
	for _, types := range []string{"f16 f16 f16 f16", "f32 f16 f16 f32", "f32 tf32 tf32 f32", "f32 e4m3 e4m3 f32", "s32 s8 s8 s32", "s32 b1 b1 s32", "f64 f64 f64 f64", "s32 s4 s4 s32"} {
		for _, depth := range []int{4, 8, 16, 32, 64, 128, 256} {
			all = append(all, matrixOf("mma", fmt.Sprintf("m16n8k%d", depth), types), matrixOf("wgmma", fmt.Sprintf("m64n256k%d", depth), types))
		}
	}
	machines := map[string]*arch.SM{}
	for _, name := range []string{"v100", "rtx2080ti", "rtx3090", "a100", "h100", "qv100-ref", "gtx480"} {
		m, err := arch.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		machines[name] = &m.SM
	}
	for i := range 40 {
		s := *machines["h100"]
		s.Units.Tensor, s.MMARatePercent = 1+i%16, 1+i*37%100
		s.TensorRates = arch.TensorRates{F16: 1 + i*i, TF32: 1 + i, Int8: 7 * i, Bits: 3 * i * i}
		s.Latencies.Tensor = arch.Latency{Cycles: 1 + i*50, Interval: 1 + i*i*6}
		machines[fmt.Sprintf("drawn %d", i)] = &s
	}
	for i := range 10 { // products that hold their unit for long, on machines without rates
		s := *machines["qv100-ref"]
		s.Latencies.Tensor = arch.Latency{Cycles: 1 + i*9, Interval: 1 + i*7}
		machines[fmt.Sprintf("drawn without rates %d", i)] = &s
	}
	for i := range 10 { // mma in a part of the rate, long against the whole product
		s := *machines["h100"]
		s.Units.Tensor, s.MMARatePercent, s.TensorRates = 4, 1+i*11, arch.TensorRates{F16: 64, Int8: 100, F64: 7}
		s.Latencies.Tensor = arch.Latency{Cycles: 5, Interval: 1}
		machines[fmt.Sprintf("drawn with slow mma %d", i)] = &s
	}
	refused, kept := 0, 0
	for name, s := range machines {
		counts, longest := Counts(&s.Units), Longest(s)
		for _, in := range all {
			if _, err := ForInstruction(s, in, &counts); err != nil {
				refused++
				continue
			}
			kept++
			if l := LatencyOfInstruction(s, in); max(l.Cycles, l.Interval) > longest {
				t.Errorf("%s: %s %v %v takes %+v, the longest is said to take %d", name, in.Opcode, in.Modifiers, in.Types, l, longest)
			}
		}
	}
	if refused == 0 || kept == 0 {
		t.Errorf("%d refused, %d kept", refused, kept)
	}
}

// The largest products of PTX have rates: of wgmma 256 columns (PTX ISA 9.7.15.2), and of mma where wgmma lacks the type
// (9.7.14.5). One that is twice as deep is refused, and so is one of a type without a rate, or one that takes too long.
func TestTheLargestProductsAreThoseOfPTX(t *testing.T) {
	m, err := arch.Load("h100")
	if err != nil {
		t.Fatal(err)
	}
	s := m.SM
	s.Latencies.Tensor = arch.Latency{Cycles: 30, Interval: 8}
	s.TensorRates = arch.TensorRates{F16: 4096, F16Single: 4096, BF16: 4096, TF32: 4096, F64: 4096, F8: 4096, Int8: 4096, Int4: 4096, Bits: 4096}
	counts := Counts(&s.Units)
	for _, c := range []struct {
		opcode, shape, types string
		depth                int
	}{
		{"wgmma", "m64n256k", "f16 f16 f16", 16}, {"wgmma", "m64n256k", "f32 f16 f16", 16}, {"wgmma", "m64n256k", "f32 bf16 bf16", 16}, {"wgmma", "m64n256k", "f32 tf32 tf32", 8},
		{"wgmma", "m64n256k", "f32 e4m3 e4m3", 32}, {"wgmma", "m64n256k", "s32 s8 s8", 32}, {"wgmma", "m64n256k", "s32 b1 b1", 256}, {"mma", "m16n8k", "s32 s4 s4 s32", 64}, {"mma", "m16n8k", "f64 f64 f64 f64", 16},
	} {
		for _, more := range []int{0, 1} {
			// Twice the depth is beyond what a shape may say of single bits: there 16 rows more stand for it.
			shape := fmt.Sprint(c.shape, c.depth<<more)
			if c.depth == 256 && more > 0 {
				shape = "m128n256k256"
			}
			in := matrixOf(c.opcode, "sync "+shape, c.types)
			if _, err := ForInstruction(&s, in, &counts); (err != nil) != (more > 0) || err != nil && !strings.Contains(err.Error(), "have at most") {
				t.Errorf("%s %s of %s: %v", c.opcode, shape, c.types, err)
			}
		}
	}
	half := matrixOf("mma", "sync m16n8k16", "f32 f16 f16 f32")
	s.TensorRates.F16Single = 0
	if _, err := ForInstruction(&s, half, &counts); err == nil || !strings.Contains(err.Error(), "lack (sm.tensor_rates.") {
		t.Errorf("a product of a type without rate: %v", err)
	}
	s.TensorRates.F16Single = 1
	s.Units.Tensor, s.MMARatePercent = 4, 0
	if _, err := ForInstruction(&s, half, &counts); err != nil {
		t.Errorf("a product of %d cycles: %v", 2048*4, err)
	}
	if _, err := ForInstruction(&s, matrixOf("mma", "sync m16n16k16", "f32 f16 f16 f32"), &counts); err == nil || !strings.Contains(err.Error(), "more than the model's") {
		t.Errorf("a product of %d cycles and those of the pipeline: %v", 4096*4, err)
	}
}

// A product takes what the machine says of all where the trace does not tell its shape, or the machine has no rate for it.
func TestUnknownProductsTakeWhatTheMachineSaysOfAll(t *testing.T) {
	s := arch.SM{Units: arch.Units{Tensor: 4}, TensorRates: arch.TensorRates{F16: 1024}}
	s.Latencies.Tensor = arch.Latency{Cycles: 30, Interval: 8}
	for _, in := range []*trace.Instruction{matrixOf("mma", "sync", "f16 f16 f16 f16"), matrixOf("mma", "sync m16n8k8", "f32 tf32 tf32 f32")} {
		if got := LatencyOfInstruction(&s, in); got != s.Latencies.Tensor {
			t.Errorf("%s %v takes %+v, want %+v", in.Opcode, in.Types, got, s.Latencies.Tensor)
		}
	}
}

// A product may take MaxProduct cycles, and not one more.
func TestAProductTakesMaxProductCyclesAtMost(t *testing.T) {
	counts := [Kinds]int{Tensor: 1}
	for cycles, refused := range map[int]bool{MaxProduct: false, MaxProduct + 1: true} {
		m := &arch.SM{Units: arch.Units{Tensor: 1}}
		m.Latencies.Tensor = arch.Latency{Cycles: cycles, Interval: 1}
		if _, err := ForInstruction(m, matrixOf("mma", "m16n8k16", "f16 f16 f16 f16"), &counts); (err != nil) != refused {
			t.Errorf("%d cycles: %v", cycles, err)
		}
	}
}
