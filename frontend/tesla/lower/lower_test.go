// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

const prologue = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 one, .param .u32 two%s)\n{\n" +
	".reg .pred %%p<16>; .reg .b32 %%r<64>; .reg .b64 %%d<4>; .shared .align 4 .b32 m[64];\n%s\n%sret;\n}\n"

// linear puts a thread's number in its block into a register.
const linear = `mov.u32 %%r%[1]d, %%tid.z;
mov.u32 %%r%[2]d, %%ntid.y;
mov.u32 %%r%[3]d, %%tid.y;
mad.lo.u32 %%r%[1]d, %%r%[1]d, %%r%[2]d, %%r%[3]d;
mov.u32 %%r%[2]d, %%ntid.x;
mov.u32 %%r%[3]d, %%tid.x;
mad.lo.u32 %%r%[1]d, %%r%[1]d, %%r%[2]d, %%r%[3]d;
`

// dump stores the shared memory of a thread block, for the emulator alone.
var dump = "bar.sync 0;\n" + fmt.Sprintf(linear, 60, 61, 62) + `mov.u32 %r61, m;
shl.b32 %r62, %r60, 2;
add.u32 %r61, %r61, %r62;
ld.shared.u32 %r63, [%r61];
mov.u32 %r60, %ctaid.z;
mov.u32 %r61, %nctaid.y;
mov.u32 %r59, %ctaid.y;
mad.lo.u32 %r60, %r60, %r61, %r59;
mov.u32 %r61, %nctaid.x;
mov.u32 %r59, %ctaid.x;
mad.lo.u32 %r61, %r60, %r61, %r59;
mad.lo.u32 %r62, %r61, 256, %r62;
ld.param.u64 %d0, [out];
cvt.u64.u32 %d1, %r62;
add.u64 %d0, %d0, %d1;
st.global.u32 [%d0], %r63;
`

// clearing gives all words of the shared memory a value: thread blocks have 64 threads.
var clearing = fmt.Sprintf(linear, 0, 1, 2) + `shl.b32 %r1, %r0, 2;
mov.u32 %r2, m;
add.u32 %r2, %r2, %r1;
xor.b32 %r3, %r0, 1431655765;
st.shared.u32 [%r2], %r3;
bar.sync 0;
`

// shape is how a kernel is launched.
type shape struct{ grid, block trace.Dim3 }

// shapes have 64 threads in a block.
var shapes = []shape{
	{trace.Dim3{X: 1, Y: 1, Z: 1}, trace.Dim3{X: 64, Y: 1, Z: 1}},
	{trace.Dim3{X: 3, Y: 1, Z: 1}, trace.Dim3{X: 16, Y: 4, Z: 1}},
	{trace.Dim3{X: 2, Y: 2, Z: 1}, trace.Dim3{X: 4, Y: 2, Z: 8}},
	{trace.Dim3{X: 1, Y: 1, Z: 3}, trace.Dim3{X: 1, Y: 64, Z: 1}},
	{trace.Dim3{X: 2, Y: 1, Z: 2}, trace.Dim3{X: 2, Y: 8, Z: 4}},
}

func parse(t testing.TB, text string) *ptx.Kernel {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m.Kernels[0]
}

// emulate is the shared memory of the thread blocks that the emulator leaves; the kernel
// stores it at out.
func emulate(text []byte, at shape, parameters ...uint32) ([]uint32, error) {
	m, err := ptx.Parse("k.ptx", text)
	if err != nil {
		return nil, err
	}
	d := emulator.NewDevice(emulator.Options{CheckShared: true, MaxInstructions: 100_000})
	module, err := d.LoadModule(m)
	if err != nil {
		return nil, err
	}
	k, err := module.Kernel(m.Kernels[0].Name)
	if err != nil {
		return nil, err
	}
	bytes := make([]byte, at.grid.Count()*64*4)
	out, err := d.Allocate("out", uint64(len(bytes)))
	if err != nil {
		return nil, err
	}
	var arguments []byte
	for _, p := range parameters {
		arguments = binary.LittleEndian.AppendUint32(arguments, p)
	}
	for len(arguments)%8 != 0 {
		arguments = append(arguments, 0)
	}
	arguments = binary.LittleEndian.AppendUint64(arguments, out)
	if _, err := d.Launch(emulator.LaunchRequest{Kernel: k, Grid: at.grid, Block: at.block, Arguments: arguments}); err != nil {
		return nil, err
	}
	if err := d.Read(out, bytes); err != nil {
		return nil, err
	}
	words := make([]uint32, len(bytes)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return words, nil
}

// withDump is a body with the code that stores shared memory.
func withDump(body string) []byte { return fmt.Appendf(nil, prologue, ", .param .u64 out", body, dump) }

func lowered(t testing.TB, body string, at shape) (string, error) {
	t.Helper()
	return Kernel(parse(t, fmt.Sprintf(prologue, "", body, "")), Launch{at.grid, at.block, []uint32{11, 22}})
}

// execute runs a program on one multiprocessor that has room for all.
func execute(text string, processors int) (*machine.Result, error) {
	k, err := language.Assemble("k.tesla", text)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	c := machine.Reference(1, processors)
	c.RegisterAddressBits, c.WarpSlots, c.BlockSlots = 16, 32, 16
	r, err := machine.Run(k, c, machine.Options{MaxCycles: 2_000_000})
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	return r, nil
}

// same compares what the machine does on one multiprocessor with the emulator.
func same(t testing.TB, body string, at shape, processors int) {
	t.Helper()
	text, err := lowered(t, body, at)
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	r, err := execute(text, processors)
	if err != nil {
		t.Fatal(err)
	}
	want, err := emulate(withDump(body), at, 11, 22)
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	if got := r.Shared[0][:len(want)]; !slices.Equal(got, want) {
		t.Fatalf("%+v: the machine of %d processors has\n%v, the emulator\n%v\n%s\n%s", at, processors, got, want, body, text)
	}
}

func TestLoweredKernelsDoTheSame(t *testing.T) {
	for name, body := range map[string]string{
		"all coordinates": clearing + coordinates(),
		"coordinates":     clearing + "mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r6, %r3, %r5, %r4; mov.u32 %r7, %tid.y; add.u32 %r6, %r6, %r7; ld.param.u32 %r8, [one]; ld.param.u32 %r9, [two]; mad.lo.u32 %r6, %r8, %r9, %r6; st.shared.u32 [%r2], %r6;",
		"reduction": clearing + `mov.u32 %r4, 32;
level: setp.ge.u32 %p0, %r0, %r4;
@%p0 bra met;
shl.b32 %r5, %r4, 2;
add.u32 %r5, %r2, %r5;
ld.shared.u32 %r6, [%r5];
ld.shared.u32 %r7, [%r2];
add.u32 %r6, %r6, %r7;
st.shared.u32 [%r2], %r6;
met: bar.sync 0;
shr.u32 %r4, %r4, 1;
setp.ne.u32 %p1, %r4, 0;
@%p1 bra level;
`,
		"other word": clearing + "xor.b32 %r4, %r0, 5; shl.b32 %r4, %r4, 2; mov.u32 %r5, m; add.u32 %r4, %r4, %r5; ld.shared.u32 %r6, [%r4]; bar.sync 0; st.shared.u32 [%r2+0], %r6;",
		"if and else": clearing + `and.b32 %r4, %r0, 3;
setp.gt.s32 %p0, %r4, 1;
@!%p0 bra small;
ld.shared.u32 %r5, [%r2];
mul.lo.u32 %r5, %r5, 305419896;
bra met;
small: not.b32 %r5, %r4;
met: st.shared.u32 [%r2], %r5;
`,
	} {
		t.Run(name, func(t *testing.T) {
			for i, at := range shapes {
				same(t, body, at, []int{4, 32, 64}[i%3])
			}
		})
	}
}

// coordinates mixes all of them.
func coordinates() string {
	text := "mov.u32 %r6, 0;"
	for _, of := range []string{"tid", "ntid", "ctaid", "nctaid"} {
		for _, d := range "xyz" {
			text += fmt.Sprintf("mov.u32 %%r7, %%%s.%c; mad.lo.u32 %%r6, %%r6, 31, %%r7;", of, d)
		}
	}
	return text + "st.shared.u32 [%r2], %r6;"
}

// edges are where order and shifts break.
var edges = []uint32{0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x10000, 0xffff}

// random makes a program of straight lines and of branches over other registers, in
// which all values depend on the thread.
func random(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(clearing)
	for i := 4; i < 12; i++ {
		fmt.Fprintf(&b, "mad.lo.u32 %%r%d, %%r0, %d, %d;\n", i, r.Uint32(), edges[r.IntN(len(edges))])
	}
	register := func() string { return fmt.Sprintf("%%r%d", 4+r.IntN(8)) }
	value := func() string {
		if r.IntN(3) == 0 {
			return fmt.Sprint(edges[r.IntN(len(edges))])
		}
		return register()
	}
	straight := func(n int) {
		for range n {
			op := []string{"add.u32", "sub.s32", "mul.lo.u32", "and.b32", "or.b32", "xor.b32", "shl.b32", "shr.u32"}[r.IntN(8)]
			switch r.IntN(16) {
			case 12:
				fmt.Fprintf(&b, "%s %s, %s, %s;\n", []string{"min.s32", "min.u32", "max.s32", "max.u32"}[r.IntN(4)], register(), register(), value())
			case 13:
				fmt.Fprintf(&b, "shr.s32 %s, %s, %s;\n", register(), register(), value())
			case 14:
				fmt.Fprintf(&b, "setp.%s.s32 %%p1, %s, %s;\nselp.b32 %s, %s, %s, %%p1;\n", []string{"ne", "eq", "lt"}[r.IntN(3)], register(), value(), register(), register(), value())
			case 15:
				fmt.Fprintf(&b, "neg.s32 %s, %s;\n", register(), register())
			case 0:
				fmt.Fprintf(&b, "not.b32 %s, %s;\n", register(), register())
			case 1:
				fmt.Fprintf(&b, "mad.lo.s32 %s, %s, %s, %s;\n", register(), register(), value(), register())
			case 2:
				fmt.Fprintf(&b, "ld.shared.u32 %s, [%%r2];\n", register())
			case 3:
				fmt.Fprintf(&b, "st.shared.s32 [%%r2], %s;\n", register())
			case 4:
				fmt.Fprintf(&b, "mov.b32 %s, %s;\n", register(), value())
			default:
				fmt.Fprintf(&b, "%s %s, %s, %s;\n", op, register(), register(), value())
			}
		}
	}
	for i := range 4 {
		straight(5)
		compare := []string{"lt.s32", "le.s32", "gt.s32", "ge.s32", "eq.u32", "ne.b32", "lt.u32", "le.u32", "gt.u32", "ge.u32", "lo.u32", "hs.u32"}[r.IntN(12)]
		fmt.Fprintf(&b, "setp.%s %%p0, %s, %s;\n@%s%%p0 bra e%d;\n", compare, register(), value(), []string{"", "!"}[r.IntN(2)], i)
		straight(3)
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "bra j%d;\ne%d:\n", i, i)
			straight(3)
			fmt.Fprintf(&b, "j%d:\n", i)
		} else {
			fmt.Fprintf(&b, "e%d:\n", i)
		}
	}
	fmt.Fprintf(&b, "xor.b32 %%r4, %%r4, %%r5; xor.b32 %%r4, %%r4, %%r6; xor.b32 %%r4, %%r4, %%r7; add.u32 %%r4, %%r4, %%r8; xor.b32 %%r4, %%r4, %%r9; add.u32 %%r4, %%r4, %%r10; xor.b32 %%r4, %%r4, %%r11;\nst.shared.u32 [%%r2], %%r4;\n")
	return b.String()
}

func TestRandomKernelsDoTheSame(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 150, 25) {
		r := rand.New(rand.NewPCG(seed, 1))
		same(t, random(r), shapes[seed%uint64(len(shapes))], 4<<(seed%5))
	}
}

func TestWhatDoesNotFitIsRefusedWithItsPlace(t *testing.T) {
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, "ld.shared.u32 %%r%d, [m+%d];", i, 4*i)
	}
	for i := range 40 {
		fmt.Fprintf(&many, "st.shared.u32 [m+%d], %%r%d;", 4*i, i)
	}
	for body, want := range map[string]string{
		strings.Repeat("add.u32 %r1, %r1, 1;", 600):            "more than the 1024 instructions",
		"cvt.rn.f32.s32 %r1, %r2;":                             "no such instruction",
		"add.f32 %r1, %r2, %r3;":                               "no integers of 32 bits",
		"\nadd.u64 %d1, %d2, %d3;":                             "k.ptx:8:",
		"div.u32 %r1, %r2, %r3;":                               "no such instruction",
		"abs.s32 %r1, %r2;":                                    "no such instruction",
		"ld.global.u32 %r1, [%d0];":                            "no such instruction",
		"atom.shared.add.u32 %r1, [m], 1;":                     "no such instruction",
		"ld.volatile.shared.u32 %r1, [m];":                     "no such instruction",
		"ld.shared.v2.u32 {%r1, %r2}, [m];":                    "no such instruction",
		"mov.u32 %r1, %laneid;":                                "does not have %laneid",
		"mul.hi.u32 %r1, %r2, %r3;":                            "no such instruction",
		"ld.shared.u32 %d1, [m];":                              "no register of 32 bits",
		"bar.sync 1;":                                          "the machine has one barrier",
		"ld.shared.u32 %r1, [%d0];":                            "address of 64 bits",
		"setp.eq.and.u32 %p1, %r1, %r2, %p2;":                  "one predicate of one comparison",
		"setp.eq.u32 %p1, %r1, %r2; @%p1 add.u32 %r1, %r1, 1;": "only branches are guarded",
		"setp.eq.u32 %p1, %r1, %r2; @%p1 exit;":                "EXIT ends the whole warp",
		"mov.u32 %r1, %tid.x; l: sub.u32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 0; @%p1 bra l;":                                                                    "a loop whose lanes may leave",
		"mov.u32 %r1, %tid.x; setp.gt.s32 %p1, %r1, 9; @%p1 bra l; bar.sync 0; l: st.shared.u32 [m], %r1;":                                                     "a barrier is in line 7",
		"mov.u32 %r1, %tid.x; setp.gt.s32 %p1, %r1, 9; @%p1 bra l; setp.gt.s32 %p2, %r1, 3; @%p2 bra i; mov.u32 %r2, 1; i: mov.u32 %r2, 2; l: mov.u32 %r3, 1;": "line 7 may part lanes again",
		"mov.u32 %r1, %tid.x; setp.gt.s32 %p1, %r1, 9; @%p1 bra l; exit; l: mov.u32 %r3, 1;":                                                                   "do not meet again",
		many.String(): "k.ptx:7: more than the 32 registers",
	} {
		if _, err := lowered(t, body, shapes[0]); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "k.ptx:") {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	many17 := shape{trace.Dim3{X: 1, Y: 17, Z: 1}, shapes[0].block}
	if _, err := lowered(t, clearing, many17); err == nil || !strings.Contains(err.Error(), "17 thread blocks of 64 words") {
		t.Errorf("17 thread blocks of 64 words: %v", err)
	}
}
