// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Sizes of what a program reads and writes, in bytes.
const (
	InputBytes = 8192  // read by anyone
	SlotBytes  = 256   // of global memory, a thread's own
	WarpBytes  = 16384 // of global memory, a warp's own, for matrices
	DumpBytes  = 256   // of global memory, where a thread leaves a digest of its registers
	slotShared = 64
	fixedBytes = 1024
	blobBytes  = 64
	tableBytes = 256
	localBytes = 64
)

// Geometries are those of the textures and surfaces, in the order of their handles. Textures come
// first, then surfaces that are only read, then those that are written, too.
var Geometries = []string{"1d", "2d", "3d", "a1d", "a2d"}

// Program is one random program, and how it is launched.
type Program struct {
	Text         string
	Kernel       string
	Grid, Block  int // both of one dimension
	Cluster      int // thread blocks of a cluster; zero for none
	Cooperative  bool
	DynamicBytes int
	// Matrices, Textures: whether it needs a warp's memory, and the handles.
	Matrices, Textures bool
	// Pointers says that it has a table of functions.
	Pointers bool
}

// OutputBytes is the size of what the program writes.
func (p *Program) OutputBytes() int {
	n := p.Grid * p.Block * (SlotBytes + DumpBytes)
	if p.Matrices {
		n += p.Grid * ((p.Block + 31) / 32) * WarpBytes
	}
	return n
}

// Options bound a program.
type Options struct {
	Seed       uint64
	Statements int // some more or less
	// Small programs have one thread block of a few threads, mostly.
	Small bool
	// Ordered programs have what depends on the order of lanes, warps and thread blocks:
	// results of atomics on words that all change, and memory from the heap.
	Ordered bool
}

type generator struct {
	*rand.Rand
	forms     *Forms
	p         *Program
	b         *strings.Builder
	labels    int
	masks     int
	preds     int
	functions []function
	gone      bool // some lanes may have exited
	exited    bool // that at a place where masks were not told
	carry     bool // the carry is defined and no call is behind it
	budget    int
	orders    bool
	per       int // registers of each type
}

// scope is where a statement stands.
type scope struct {
	mask      string // the register with the lanes that are here; empty if that is not known
	uniform   bool   // all threads of the thread block are here
	function  bool
	nested    int
	recursive string // the function that may call itself
	leave     string // the label behind the innermost loop, whose mask is loop
}

// New writes the program of a seed.
func New(forms *Forms, o Options) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(o.Seed, 0x77617270)), forms: forms, p: &Program{Kernel: "drawn"}}
	p := g.p
	g.orders = o.Ordered
	g.per = []int{3, 4, 9}[g.IntN(3)]
	p.Grid, p.Block = 1+g.IntN(2), []int{64, 96, 40, 32, 128}[g.IntN(5)]
	if o.Small {
		g.per, p.Grid, p.Block = []int{3, 3, 3, 9}[g.IntN(4)], 1, []int{3, 8, 32, 40, 64}[g.IntN(5)]
	}
	if g.orders {
		p.Grid = 1 + g.IntN(3)
	} else if g.IntN(6) == 0 {
		p.Cluster = 2
		p.Grid = 2
	} else if g.IntN(8) == 0 {
		p.Cooperative = true
	}
	if g.IntN(3) == 0 {
		p.DynamicBytes = 4 * p.Block
	}
	var functions strings.Builder
	for i := range g.IntN(4) {
		g.b = &functions
		g.function(i, o.Statements)
	}
	var body strings.Builder
	g.b = &body
	g.exited, g.gone, g.carry = false, false, false
	g.budget = o.Statements
	top := scope{mask: "%mask0", uniform: true}
	for g.budget > 0 {
		g.statement(top)
	}
	p.Text = g.header() + functions.String() + g.kernel(body.String())
	return p
}

// line writes a statement.
func (g *generator) line(format string, arguments ...any) {
	fmt.Fprintf(g.b, "\t"+format+"\n", arguments...)
}

func (g *generator) label() string { g.labels++; return fmt.Sprintf("L%d", g.labels) }

func (g *generator) mask() string { g.masks++; return fmt.Sprintf("%%mask%d", g.masks) }

// condition is a register for a branch, which nothing else writes.
func (g *generator) condition() string { g.preds++; return fmt.Sprintf("%%c%d", g.preds) }

func (g *generator) header() string {
	pointers := ""
	var names []string
	for i := range g.functions {
		if g.functions[i].pointed {
			names = append(names, g.functions[i].name)
		}
	}
	if g.p.Pointers = len(names) > 0; g.p.Pointers {
		pointers = fmt.Sprintf(".global .align 8 .u64 pointers[%d] = {%s};\n", len(names), strings.Join(names, ", "))
	}
	more := ""
	if g.orders {
		more = externs
	}
	if g.p.DynamicBytes > 0 {
		more += ".extern .shared .align 16 .b8 more[];\n"
	}
	values := make([]string, tableBytes/4)
	for i := range values {
		values[i] = fmt.Sprint(g.Uint32())
	}
	var declared strings.Builder
	for i := range g.functions {
		declared.WriteString(g.functions[i].signature + ";\n")
	}
	return head + globals + more + fmt.Sprintf(".const .align 64 .b32 table[%d] = {%s};\n", len(values), strings.Join(values, ", ")) + declared.String() + pointers
}

const head = ".version 9.1\n.target sm_100a\n.address_size 64\n"

var globals = fmt.Sprintf(`.global .align 16 .b32 counters[16] = {7, 7, 7, 7, 7, 7, 7, 7};
.shared .align 64 .b8 fixed[%d];
.shared .align 64 .b8 slots[%d];
.shared .align 16 .b32 tallies[16];
.shared .align 8 .b64 meeting;
.shared .align 16 .b8 landing[64];
`, fixedBytes, 128*slotShared)

// registers declares what bodies use.
func registers(per, masks, conditions int) string {
	var b strings.Builder
	for _, t := range registerTypes {
		fmt.Fprintf(&b, "\t.reg .%s %%%s_<%d>;\n", t, t, per)
	}
	fmt.Fprintf(&b, "\t.reg .v4 .b32 %%v;\n\t.reg .v2 .f64 %%w;\n\t.reg .b32 %%mask<%d>;\n\t.reg .pred %%c<%d>;\n", masks+1, conditions+1)
	b.WriteString("\t.reg .b32 %x32, %y32, %n<200>, %lane, %thread, %tid, %slots, %depth, %sx, %sy, %sz, %bar, %count;\n")
	b.WriteString("\t.reg .b16 %y16;\n\t.reg .b64 %x64, %y64, %z64, %slotg, %input, %warp, %surface<16>, %state;\n")
	return b.String()
}

// initial gives all registers of the pools a value, by the thread, and by the input unless it is plain.
func (g *generator) initial(plain bool) string {
	var b strings.Builder
	b.WriteString("\tmad.lo.u32 %x32, %thread, 48, 0;\n\tand.b32 %x32, %x32, 4080;\n\tcvt.u64.u32 %x64, %x32;\n\tadd.u64 %x64, %x64, %input;\n")
	if plain {
		b.WriteString("\tmul.wide.u32 %y64, %thread, 0x9e3779b1;\n")
	} else {
		fmt.Fprintf(&b, "\tld.global.b64 %%y64, [%%x64+%d];\n", 16*g.IntN(200))
	}
	b.WriteString("\tcvt.u32.u64 %y32, %y64;\n\tcvt.u16.u64 %y16, %y64;\n")
	for _, t := range registerTypes {
		for i := range g.per {
			at := 16 * g.IntN(200)
			mixed := fmt.Sprintf("xor.b%[1]d %%%[2]s_%[3]d, %%y%[1]d, %[4]d;", widths[t], t, i, g.Uint32()>>g.IntN(32)&(1<<min(31, max(1, widths[t]-1))-1))
			switch size := widths[t]; {
			case t == "pred":
				fmt.Fprintf(&b, "\tand.b32 %%n1, %%y32, %d;\n\tsetp.ne.s32 %%pred_%d, %%n1, 0;\n", 1<<g.IntN(8), i)
			case t == "b128":
				fmt.Fprintf(&b, "\tmov.b128 %%b128_%d, {%%x64, %%y64};\n", i)
			case size > 8 && i > 0 && g.forms.legal(mixed):
				fmt.Fprintf(&b, "\t%s\n", mixed)
			case plain && size == 8:
				fmt.Fprintf(&b, "\tcvt.u8.u32 %%%s_%d, %%y32;\n", t, i)
			default:
				fmt.Fprintf(&b, "\tld.global.b%d %%%s_%d, [%%x64+%d];\n", size, t, i, at)
			}
		}
	}
	b.WriteString("\tmov.b32 %v.x, %b32_0; mov.b32 %v.y, %b32_1; mov.b32 %v.z, %b32_2; mov.b32 %v.w, %b32_1; mov.f64 %w.x, %f64_0; mov.f64 %w.y, %f64_1;\n")
	return b.String()
}

// dump stores a digest of some registers of the pools at %x64; others die before. Of types that no
// computation takes, it stores the registers themselves.
func (g *generator) dump() string {
	var b strings.Builder
	b.WriteString("\tmov.b64 %y64, 0;\n\tmov.b32 %y32, 0;\n\tmov.b16 %y16, 0;\n")
	at := 16
	for _, t := range registerTypes {
		for i := range g.per {
			if g.IntN(3) > 0 {
				continue
			}
			size := widths[t]
			step := fmt.Sprintf("xor.b%[1]d %%y%[1]d, %%y%[1]d, %%%[2]s_%[3]d;", size, t, i)
			switch {
			case t == "pred":
				fmt.Fprintf(&b, "\t@%%pred_%d xor.b32 %%y32, %%y32, 0x%x;\n\tmul.lo.u32 %%y32, %%y32, 0x01000193;\n", i, i+1)
			case t == "b128":
				fmt.Fprintf(&b, "\tmov.b128 {%%z64, %%state}, %%b128_%d;\n\txor.b64 %%y64, %%y64, %%z64;\n\tmad.lo.u64 %%y64, %%y64, 0x100000001b3, %%state;\n", i)
			case size > 8 && g.forms.legal(step):
				fmt.Fprintf(&b, "\t%s\n\tmul.lo.u%[2]d %%y%[2]d, %%y%[2]d, %[3]d;\n", step, size, map[int]int{16: 403, 32: 0x01000193, 64: 0x100000001b3}[size])
			default:
				at = (at + size/8 - 1) / (size / 8) * (size / 8)
				fmt.Fprintf(&b, "\tst.global.b%d [%%x64+%d], %%%s_%d;\n", size, at, t, i)
				at += size / 8
			}
		}
	}
	fmt.Fprintf(&b, "\tst.global.b64 [%%x64], %%y64;\n\tst.global.b32 [%%x64+8], %%y32;\n\tst.global.b16 [%%x64+12], %%y16;\n\tst.global.v4.b32 [%%x64+%d], %%v;\n", (at+15)&^15)
	return b.String()
}

func (g *generator) kernel(body string) string {
	p := g.p
	var b strings.Builder
	b.WriteString(".visible .entry drawn(.param .u64 in, .param .u64 out, .param .u64 texels")
	for i := range 3 * len(Geometries) {
		fmt.Fprintf(&b, ", .param .u64 handle%d", i)
	}
	fmt.Fprintf(&b, ", .param .align 32 .b8 blob[%d])\n", blobBytes)
	if p.Cluster > 0 {
		fmt.Fprintf(&b, ".reqnctapercluster %d, 1, 1\n", p.Cluster)
	}
	fmt.Fprintf(&b, "{\n\t.local .align 32 .b8 depot[%d];\n", localBytes)
	b.WriteString(registers(g.per, g.masks, g.preds))
	warps := (p.Block + 31) / 32
	fmt.Fprintf(&b, `	ld.param.u64 %%input, [in];
	ld.param.u64 %%slotg, [out];
	mov.u32 %%tid, %%tid.x;
	mov.u32 %%lane, %%laneid;
	mov.u32 %%x32, %%ctaid.x;
	mov.u32 %%y32, %%ntid.x;
	mad.lo.u32 %%thread, %%x32, %%y32, %%tid;
	mov.u32 %%y32, %%tid;
	shr.u32 %%y32, %%y32, 5;
	mad.lo.u32 %%y32, %%x32, %d, %%y32;
	mad.wide.u32 %%warp, %%y32, %d, %%slotg;
	add.u64 %%warp, %%warp, %d;
	mad.wide.u32 %%slotg, %%thread, %d, %%slotg;
	mov.u32 %%slots, slots;
	mad.lo.u32 %%slots, %%tid, %d, %%slots;
	mov.u32 %%depth, 0;
`, warps, WarpBytes, p.Grid*p.Block*(SlotBytes+DumpBytes), SlotBytes, slotShared)
	if p.Textures {
		for i := range 3 * len(Geometries) {
			fmt.Fprintf(&b, "\tld.param.u64 %%surface%d, [handle%d];\n", i, i)
		}
	}
	b.WriteString(g.initial(false))
	// Shared memory is written once, by its owners; then one fetches from it.
	fmt.Fprintf(&b, `	mov.u32 %%n0, %%tid;
FILL:
	mul.lo.u32 %%x32, %%n0, 4;
	cvt.u64.u32 %%x64, %%x32;
	add.u64 %%x64, %%x64, %%input;
	ld.global.b32 %%y32, [%%x64];
	mov.u32 %%n1, fixed;
	add.u32 %%x32, %%x32, %%n1;
	st.shared.b32 [%%x32], %%y32;
	add.u32 %%n0, %%n0, %d;
	setp.lt.u32 %%c0, %%n0, %d;
	@%%c0 bra FILL;
	mov.b64 %%y64, 0;
`, p.Block, fixedBytes/4)
	for i := 0; i < slotShared; i += 8 {
		fmt.Fprintf(&b, "\tst.shared.b64 [%%slots+%d], %%y64;\n", i)
	}
	for i := 0; i < localBytes; i += 8 {
		fmt.Fprintf(&b, "\tst.local.b64 [depot+%d], %%slotg;\n", i)
	}
	fmt.Fprintf(&b, `	setp.eq.u32 %%c0, %%tid, 0;
	@%%c0 mbarrier.init.shared.b64 [meeting], %d;
	mov.u32 %%n0, tallies;
	and.b32 %%x32, %%tid, 15;
	mad.lo.u32 %%n0, %%x32, 4, %%n0;
	mov.u32 %%x32, 7;
	st.shared.b32 [%%n0], %%x32;
	bar.sync 0;
	setp.lt.u32 %%c0, %%n0, 16;
`, p.Block)
	if p.Block < 16 {
		b.WriteString("\t@%c0 bra TALLIES;\n")
		for i := range 16 {
			fmt.Fprintf(&b, "\tst.shared.b32 [tallies+%d], %%x32;\n", 4*i)
		}
		b.WriteString("TALLIES:\n\tbar.sync 0;\n")
	}
	b.WriteString("\tactivemask.b32 %mask0;\n")
	if p.Cluster > 0 {
		b.WriteString("\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n")
	}
	b.WriteString(body)
	fmt.Fprintf(&b, `	ld.param.u64 %%x64, [out];
	mad.wide.u32 %%x64, %%thread, %d, %%x64;
	add.u64 %%x64, %%x64, %d;
`, DumpBytes, p.Grid*p.Block*SlotBytes)
	b.WriteString(g.dump())
	b.WriteString("\tret;\n}\n")
	return b.String()
}
