// SPDX-License-Identifier: Apache-2.0

package units

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

// product is what a matrix instruction is to the tensor unit of its warp.
type product struct {
	rate         string // key of arch.TensorRates; empty: the trace does not tell
	multiplyAdds int    // that the unit does; zero: the trace does not tell
	columns      int    // of the sums
	warpgroup    bool   // part of a product of four warps
}

// Sparse reports whether a factor of a matrix instruction has half of its numbers only.
func Sparse(in *trace.Instruction) bool {
	return slices.ContainsFunc(in.Modifiers, func(m string) bool { return m == "sp" || m == "SP" || strings.HasPrefix(m, "sp::") })
}

// productOf reads a matrix instruction of PTX or of machine code.
func productOf(in *trace.Instruction) product {
	p := product{rate: rateOf(in), warpgroup: strings.HasSuffix(in.Opcode, "GMMA") || in.Opcode == "wgmma"}
	for _, m := range in.Modifiers {
		if rows, columns, depth, ok := shapeOf(m); ok {
			if p.warpgroup { // each warp has a quarter of the rows
				rows /= 4
			}
			p.columns, p.multiplyAdds = columns, rows*columns*depth
			if rows*columns*depth == 8*8*4 && p.rate != "f64" { // eight lanes for each of four products
				p.multiplyAdds *= 4 / steps(in)
			}
			break
		}
	}
	if Sparse(in) {
		p.multiplyAdds /= 2 // the unit passes over the zeros
	}
	return p
}

// steps is in how many instructions Volta's code does the product of an HMMA.884.
func steps(in *trace.Instruction) int {
	if !slices.ContainsFunc(in.Modifiers, func(m string) bool { return strings.HasPrefix(m, "STEP") }) {
		return 1
	}
	if slices.Contains(in.Modifiers, "F32") {
		return 4
	}
	return 2
}

// shapeOf reads "m16n8k16" of PTX, "16816" and "64x128x16" of machine code.
func shapeOf(modifier string) (m, n, k int, ok bool) {
	var parts [3]string
	switch {
	case strings.HasPrefix(modifier, "m"):
		rest := modifier[1:]
		var found, deep bool
		parts[0], rest, found = strings.Cut(rest, "n")
		parts[1], parts[2], deep = strings.Cut(rest, "k")
		if !found || !deep {
			return 0, 0, 0, false
		}
	case strings.Count(modifier, "x") == 2:
		parts = [3]string(strings.Split(modifier, "x"))
	default: // n is 8 in all of them, m 8 or 16
		rest, wide := strings.CutPrefix(modifier, "16")
		parts[0] = "16"
		if !wide {
			rest, parts[0] = strings.TrimPrefix(modifier, "8"), "8"
		}
		depth, found := strings.CutPrefix(rest, "8")
		if !found || depth == "" {
			return 0, 0, 0, false
		}
		parts[1], parts[2] = "8", depth
	}
	var sizes [3]int
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > 256 {
			return 0, 0, 0, false
		}
		sizes[i] = n
	}
	return sizes[0], sizes[1], sizes[2], true
}

// rateOf is the key of the rate of a matrix instruction's types. Those of PTX are d, a, b and
// c; wmma names those of d and c alone where the factors are .f16.
func rateOf(in *trace.Instruction) string {
	types := in.Types
	if len(types) == 0 {
		return machineRate(in)
	}
	factor := "f16"
	if len(types) > 2 {
		factor = types[1]
	}
	switch factor {
	case "f16":
		if types[0] == "f32" || types[len(types)-1] == "f32" {
			return "f16_f32"
		}
		return "f16"
	case "bf16", "tf32", "f64":
		return factor
	case "e4m3", "e5m2":
		return "f8"
	case "s8", "u8":
		return "int8"
	case "s4", "u4":
		return "int4"
	case "b1":
		return "bits"
	}
	return ""
}

// machineRate is rateOf of an instruction of machine code.
func machineRate(in *trace.Instruction) string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(in.Modifiers, n) })
	}
	switch in.Opcode {
	case "HMMA", "HGMMA":
		switch {
		case has("BF16"):
			return "bf16"
		case has("TF32"):
			return "tf32"
		case has("F32"):
			return "f16_f32"
		case has("F16"):
			return "f16"
		}
	case "IMMA", "IGMMA":
		if has("S4", "U4") {
			return "int4"
		}
		return "int8"
	case "QGMMA":
		return "f8"
	case "BMMA", "BGMMA":
		return "bits"
	case "DMMA":
		return "f64"
	}
	return ""
}

// MaxProduct is how many cycles a matrix instruction may take.
const MaxProduct = 1 << 14

// checkProduct says which types of a matrix instruction the machine has no rate for, and
// which products take longer than Longest knows of.
func checkProduct(m *arch.SM, in *trace.Instruction) error {
	p := productOf(in)
	if p.rate != "" && m.TensorRates.Given() && m.TensorRates.Of(p.rate) == 0 {
		return fmt.Errorf("needs matrix products of %s, which the tensor units of the machine lack (sm.tensor_rates.%s is 0)", typeNames[p.rate], p.rate)
	}
	if p.rate != "" && p.multiplyAdds > largest[p.rate] {
		return fmt.Errorf("is a product of %d multiply-adds of a warp, and matrix instructions of %s have at most %d", p.multiplyAdds, typeNames[p.rate], largest[p.rate])
	}
	if l := productLatency(m, in); max(l.Cycles, l.Interval) > MaxProduct {
		return fmt.Errorf("takes a tensor unit for %d cycles, more than the model's %d; see sm.tensor_rates and sm.latencies.tensor", max(l.Cycles, l.Interval), MaxProduct)
	}
	return nil
}

// typeNames are what messages call the types.
var typeNames = map[string]string{
	"f16": ".f16", "f16_f32": ".f16 with sums of .f32", "bf16": ".bf16", "tf32": ".tf32", "f64": ".f64",
	"f8": ".e4m3 and .e5m2", "int8": "8-bit integers", "int4": "4-bit integers", "bits": "single bits",
}

// productLatency is the timing of a matrix instruction. latencies.tensor is that of the product
// of 16 x 16 x 16 numbers of .f16; one that holds the unit for longer, or shorter, ends so much
// later, or earlier. A part of a warpgroup's product ends when the unit is done with it, since
// its sums stay there; one without shape is the product above.
func productLatency(m *arch.SM, in *trace.Instruction) arch.Latency {
	whole := LatencyOf(&m.Latencies, trace.ClassTensor)
	p := productOf(in)
	if !m.TensorRates.Given() {
		if !p.warpgroup || p.columns == 0 {
			return whole
		}
		more := whole.Interval * ((p.columns+15)/16 - 1) // one for each 16 columns
		return arch.Latency{Cycles: whole.Cycles + more, Interval: whole.Interval + more}
	}
	rate := m.TensorRates.Of(p.rate)
	if p.multiplyAdds == 0 || rate == 0 {
		return whole
	}
	work := p.multiplyAdds * m.Units.Tensor
	if !p.warpgroup && hasWarpgroups(p.rate) {
		work, rate = 100*work, m.MMARate()*rate
	}
	interval := max((work+rate-1)/rate, 1)
	depth := max(whole.Cycles-whole.Interval, 1) // of the pipeline
	if p.warpgroup {
		return arch.Latency{Cycles: max(interval, depth), Interval: interval}
	}
	return arch.Latency{Cycles: interval + depth, Interval: interval}
}

// hasWarpgroups reports whether wgmma has products of the types of a rate (PTX ISA 9.7.15.5).
func hasWarpgroups(rate string) bool { return rate != "f64" && rate != "int4" }

// largest are the most multiply-adds of a warp's instruction by type: those of a part of
// wgmma of 256 columns, and those of mma where wgmma does not have the type.
var largest = map[string]int{
	"f16": 16 * 256 * 16, "f16_f32": 16 * 256 * 16, "bf16": 16 * 256 * 16, "tf32": 16 * 256 * 8,
	"f8": 16 * 256 * 32, "int8": 16 * 256 * 32, "bits": 16 * 256 * 256, "int4": 16 * 8 * 64, "f64": 16 * 8 * 16,
}

// longestProduct is the longest latency of matrix instructions that are not refused.
func longestProduct(m *arch.SM) int {
	if m.Units.Tensor == 0 {
		return 0
	}
	whole := LatencyOf(&m.Latencies, trace.ClassTensor)
	longest := whole.Cycles + 15*whole.Interval
	for key, n := range largest {
		if rate := m.TensorRates.Of(key); rate > 0 {
			longest = max(longest, whole.Cycles+n*m.Units.Tensor*100/(rate*m.MMARate())+1)
		}
	}
	return min(longest, MaxProduct)
}
