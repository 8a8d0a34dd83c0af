// SPDX-License-Identifier: Apache-2.0

package random

import (
	"fmt"
	"strings"
)

// variable is a local variable of a kernel or function.
type variable struct {
	name string
	kind kind
}

// function is a function of the module that kernels call.
type function struct {
	name       string
	result     kind
	parameters []kind
}

// generator writes one module; state is that of SplitMix64.
type generator struct {
	state     uint64
	out       strings.Builder
	variables []variable
	functions []function
	array     kind // of the local array
	loops     int
	indent    int
}

// next is the next random number (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014).
func (g *generator) next() uint64 {
	g.state += 0x9e3779b97f4a7c15
	z := g.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (g *generator) below(n int) int { return int(g.next() % uint64(n)) }

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.below(n) == 0 }

func (g *generator) oneOf(s ...string) string { return s[g.below(len(s))] }

// pick chooses a kind; 128 bits and halves are rarer than the others.
func (g *generator) pick() kind {
	for {
		k := kinds[g.below(len(kinds))]
		if k.bits != 128 && k.name != "f16" || g.chance(3) {
			return k
		}
	}
}

func (g *generator) line(format string, arguments ...any) {
	g.out.WriteString(strings.Repeat("  ", g.indent))
	fmt.Fprintf(&g.out, format, arguments...)
	g.out.WriteByte('\n')
}

// Inputs is the number of 64-bit words that each thread of a kernel reads.
const Inputs = 12

// Module writes a CUDA C++ module with kernels named k0, k1, ... and functions
// that they call. It needs prelude.h.
func Module(seed uint64, kernels int) string {
	g := &generator{state: seed}
	g.line("// Kernels of seed %d.", seed)
	for i := range 4 {
		g.function(i)
	}
	for i := range kernels {
		g.kernel(i)
	}
	return g.out.String()
}

// function writes a function that is not inlined.
func (g *generator) function(number int) {
	f := function{name: fmt.Sprintf("f%d", number), result: g.pick()}
	var parameters []string
	g.variables = nil
	for i := range 2 + g.below(3) {
		k := g.pick()
		f.parameters = append(f.parameters, k)
		parameters = append(parameters, fmt.Sprintf("%s p%d", k.name, i))
		g.variables = append(g.variables, variable{fmt.Sprintf("p%d", i), k})
	}
	g.array = kind{}
	g.line("DEVICE %s %s(%s) {", f.result.name, f.name, strings.Join(parameters, ", "))
	g.indent++
	g.statements(3, 1)
	g.line("return %s;", g.expression(f.result, 3))
	g.indent--
	g.line("}")
	g.functions = append(g.functions, f)
}

// kernel writes a kernel: variables from the thread's inputs, statements, and
// one number of all the variables as the result.
func (g *generator) kernel(number int) {
	g.variables, g.loops = nil, 0
	g.array = g.pick()
	g.line("KERNEL(k%d) {", number)
	g.indent++
	g.line("const u32 thread = THREAD;")
	g.line("const u64 *in = input + thread * %d;", Inputs)
	for i := range Inputs {
		k := kinds[(i+g.below(3)*4)%len(kinds)]
		name := fmt.Sprintf("v%d", i)
		g.line("%s %s = from_bits_%s(in[%d]);", k.name, name, k.name, i)
		g.variables = append(g.variables, variable{name, k})
	}
	g.line("%s local[8];", g.array.name)
	g.line("for (int i = 0; i < 8; i++)")
	g.line("  local[i] = from_bits_%s(in[i]);", g.array.name)
	g.statements(7, 3)
	g.line("u64 h = 0;")
	for _, v := range g.variables {
		g.line("h = mix(h, bits_%s(%s));", v.kind.name, v.name)
	}
	g.line("for (int i = 0; i < 8; i++)")
	g.line("  h = mix(h, bits_%s(local[i]));", g.array.name)
	g.line("output[thread] = h;")
	g.indent--
	g.line("}")
}
