// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/interpreter"
	"github.com/warptape/warptape/trace/tracetest"
)

// everything keeps all that a launch records.
type everything struct{ text bytes.Buffer }

func (e *everything) BeginBlock(i uint64) { fmt.Fprintln(&e.text, "block", i) }
func (e *everything) EndBlock() error     { return nil }
func (e *everything) Visit(warp int, block, mask uint32) {
	fmt.Fprintf(&e.text, "%d at %d %08x\n", warp, block, mask)
}
func (e *everything) Guard(warp int, mask uint32) {
	fmt.Fprintf(&e.text, "%d guard %08x\n", warp, mask)
}

func (e *everything) Access(warp int, mask uint32, a *[32]uint64) {
	fmt.Fprintf(&e.text, "%d list %08x", warp, mask)
	for i, v := range a {
		if mask>>i&1 != 0 {
			fmt.Fprintf(&e.text, " %#x", v)
		}
	}
	fmt.Fprintln(&e.text)
}

func (e *everything) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	if mask == 0 {
		base, stride = 0, 0
	}
	fmt.Fprintf(&e.text, "%d %08x %#x+%d\n", warp, mask, base, stride)
}

// writer writes random kernels. They have paths that part, nest, loop and end
// early, guards, and registers with one writer and with several. They read
// registers before they are written and where only some lanes have written them.
type writer struct {
	r      *rand.Rand
	b      strings.Builder
	labels int
	loops  int // registers of loop counters in use
	// Registers with one writer are %s, %e and %q.
	singles, wideSingles, bitSingles int
}

const (
	writerWords   = 10 // %r3 to %r12
	writerDoubles = 6  // %d3 to %d8
	writerBits    = 5  // %p1 to %p5
)

func (w *writer) line(format string, a ...any) { fmt.Fprintf(&w.b, format+"\n", a...) }
func (w *writer) word() string                 { return fmt.Sprintf("%%r%d", 3+w.r.IntN(writerWords)) }
func (w *writer) double() string               { return fmt.Sprintf("%%d%d", 3+w.r.IntN(writerDoubles)) }
func (w *writer) bit() string                  { return fmt.Sprintf("%%p%d", 1+w.r.IntN(writerBits)) }
func (w *writer) pick(list ...string) string   { return list[w.r.IntN(len(list))] }

// operand is a word to read.
func (w *writer) operand() string {
	if w.singles > 0 && w.r.IntN(2) == 0 {
		return fmt.Sprintf("%%s%d", w.r.IntN(w.singles))
	}
	return w.pick(w.word(), w.word(), fmt.Sprint(w.r.IntN(40)))
}

// wideOperand is a double word to read.
func (w *writer) wideOperand() string {
	if w.wideSingles > 0 && w.r.IntN(2) == 0 {
		return fmt.Sprintf("%%e%d", w.r.IntN(w.wideSingles))
	}
	return w.double()
}

// result is a word to write.
func (w *writer) result() string {
	if w.r.IntN(2) == 0 {
		return w.word()
	}
	w.singles++
	return fmt.Sprintf("%%s%d", w.singles-1)
}

// wideResult is a double word to write.
func (w *writer) wideResult() string {
	if w.r.IntN(2) == 0 {
		return w.double()
	}
	w.wideSingles++
	return fmt.Sprintf("%%e%d", w.wideSingles-1)
}

// readBit is a predicate to read, bitResult one to write.
func (w *writer) readBit() string {
	if w.bitSingles > 0 && w.r.IntN(2) == 0 {
		return fmt.Sprintf("%%q%d", w.r.IntN(w.bitSingles))
	}
	return w.bit()
}

func (w *writer) bitResult() string {
	if w.r.IntN(2) == 0 {
		return w.bit()
	}
	w.bitSingles++
	return fmt.Sprintf("%%q%d", w.bitSingles-1)
}

// arithmetic writes one instruction.
func (w *writer) arithmetic() {
	guard := ""
	if w.r.IntN(5) == 0 {
		guard = w.pick("@", "@!") + w.readBit() + " "
	}
	x, y := w.operand(), w.operand()
	switch w.r.IntN(16) {
	case 0:
		w.line("%sld.param.u32 %s, [%s];", guard, w.result(), w.pick("out", "in", "out+4"))
	case 1:
		w.line("%smov.u32 %s, %s;", guard, w.result(), w.pick(x, "%tid.x", "%ctaid.x", "%ntid.x", "%laneid", "%lanemask_lt"))
	case 2, 3:
		w.line("%s%s %s, %s, %s;", guard, w.pick("add.s32", "mul.lo.s32", "sub.u32", "xor.b32", "rem.u32", "div.u32", "min.s32"), w.result(), x, y)
	case 4:
		w.line("%sshl.b32 %s, %s, %d;", guard, w.result(), w.word(), w.r.IntN(34))
	case 5:
		w.line("%smul.wide.%s %s, %s, %s;", guard, w.pick("u32", "s32"), w.wideResult(), w.word(), y)
	case 6, 7:
		w.line("%sadd.s64 %s, %s, %s;", guard, w.wideResult(), w.wideOperand(), w.wideOperand())
	case 8:
		w.line("%scvt.%s %s, %s;", guard, w.pick("u64.u32", "s64.s32"), w.wideResult(), w.word())
	case 9:
		w.line("%sshl.b64 %s, %s, %d;", guard, w.wideResult(), w.wideOperand(), w.r.IntN(34))
	case 10:
		w.line("%scvt.u32.u64 %s, %s;", guard, w.result(), w.wideOperand())
	case 11, 12:
		w.line("%ssetp.%s.s32 %s, %s, %s;", guard, w.pick("lt", "eq", "ge"), w.bitResult(), x, y)
	case 13:
		w.line("%sselp.b32 %s, %s, %s, %s;", guard, w.result(), x, y, w.readBit())
	case 14:
		w.line("%s%s.pred %s, %s, %s;", guard, w.pick("and", "or"), w.bitResult(), w.readBit(), w.readBit())
	case 15:
		w.line("%ssin.approx.f32 %s, %s;", guard, w.result(), w.word())
	}
}

// address writes the pieces of an address, which can be fused unless something is in
// the way, and a store there.
func (w *writer) address() {
	guard, word := w.pick("", "", "", "@"+w.readBit()+" "), w.word()
	w.labels++
	w.line("{ .reg .b32 %%x<4>; .reg .b64 %%y<6>; and.b32 %s, %s, 7;", word, w.operand())
	pieces := [][]string{
		{"mul.wide.u32 %y1, WORD, 4;", "add.s64 %y2, %d0, %y1;"},
		{"cvt.s64.s32 %y3, WORD;", "shl.b64 %y1, %y3, 2;", "add.s64 %y2, %y1, %d0;"},
		{"shl.b32 %x2, WORD, 2;", "add.s32 %x3, %x2, 4;", "cvt.u64.u32 %y1, %x3;", "add.s64 %y2, %d0, %y1;"},
		{"mul.lo.s32 %x2, WORD, 3;", "add.s32 %x3, %x2, WORD;", "mul.wide.s32 %y1, %x3, 1;", "and.b64 %y1, %y1, 28;", "add.s64 %y2, %d0, %y1;"},
	}[w.r.IntN(4)]
	odd := w.r.IntN(len(pieces))
	for i, p := range pieces {
		if i == odd {
			w.line("%s", guard)
		}
		w.line("%s", strings.ReplaceAll(p, "WORD", word))
		switch w.r.IntN(6) {
		case 0:
			w.line("add.u32 %s, %s, 1;", word, word)
		case 1:
			w.arithmetic()
		}
	}
	if w.r.IntN(4) == 0 {
		w.line("cvt.u32.u64 %s, %%y1;", w.result())
	}
	w.line("st.global.u32 [%%y2], %s; }", w.word())
}

func (w *writer) block(depth int) {
	for range 1 + w.r.IntN(5) {
		w.arithmetic()
	}
	if depth == 0 {
		return
	}
	w.labels++
	n := w.labels
	switch w.r.IntN(8) {
	case 0, 1:
		w.line("@%s bra L%d;", w.readBit(), n)
		w.block(depth - 1)
		w.line("L%d:", n)
	case 2:
		w.line("setp.lt.u32 %%p1, %s, %s; @!%%p1 bra L%d;", w.word(), w.operand(), n)
		w.block(depth - 1)
		w.line("bra.uni M%d; L%d:", n, n)
		w.block(depth - 1)
		w.line("M%d:", n)
	case 3:
		counter, last := 20+w.loops, 13+w.loops // of registers that nothing else uses
		w.loops++
		w.line("mov.u32 %%r%d, 0; L%d:", counter, n)
		w.block(depth - 1)
		w.line("and.b32 %%r%d, %s, 3; add.u32 %%r%d, %%r%d, 1; setp.lt.u32 %%p6, %%r%d, %%r%d; @%%p6 bra L%d;", last, w.word(), counter, counter, counter, last, n)
		w.loops--
	case 4:
		w.line("setp.eq.u32 %%p7, %%r0, %d; @%%p7 ret;", w.r.IntN(60))
	default:
		w.address()
	}
	w.block(depth - 1)
}

// kernel writes a body that ends by storing all registers.
func (w *writer) kernel() string {
	w.line(".reg .b32 %%s<400>; .reg .b64 %%e<400>; .reg .pred %%q<400>; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; mad.lo.u32 %%r1, %%r1, %%r2, %%r0; mul.lo.u32 %%r1, %%r1, 128; mad.wide.u32 %%d0, %%r1, 1, %%d1;")
	for range 3 {
		w.block(3)
	}
	if w.r.IntN(2) == 0 {
		w.line("shfl.sync.bfly.b32 %%r3, %%s%d, 1, 31, -1;", w.r.IntN(max(w.singles, 1)))
	}
	for i := range writerWords {
		if w.r.IntN(2) == 0 {
			w.line("selp.b32 %%r%d, %%r%d, 77, %s;", 3+i, 3+i, w.readBit())
		}
		if i < w.singles && w.r.IntN(2) == 0 {
			w.line("xor.b32 %%r%d, %%r%d, %%s%d;", 3+i, 3+i, w.r.IntN(w.singles))
		}
		w.line("st.global.u32 [%%d0+%d], %%r%d;", 40+4*i, 3+i)
	}
	w.line("xor.b64 %%d3, %%d3, %%d4; xor.b64 %%d5, %%d5, %%d6; xor.b64 %%d7, %%d7, %%d8; xor.b64 %%d3, %%d3, %%d5; xor.b64 %%d3, %%d3, %%d7;")
	w.line("st.global.u64 [%%d0+80], %%d3; selp.u32 %%r3, 1, 0, %%p1; selp.u32 %%r4, 1, %%r3, %%p2; selp.u32 %%r5, 3, %%r4, %%p3; st.global.u32 [%%d0+88], %%r5; ret;")
	return w.b.String()
}

// TestScheduledRunsDoWhatTheInstructionsSay runs random kernels as they are scheduled,
// with what is the same for all blocks taken out and pairs fused, and instruction
// by instruction, in full and partial warps.
func TestScheduledRunsDoWhatTheInstructionsSay(t *testing.T) {
	seeds := tracetest.Seeds(t, 100, tracetest.Fewer(6, 20))
	var invariants, fewer int
	for _, seed := range seeds {
		w := &writer{r: rand.New(rand.NewPCG(seed, 11))}
		body := w.kernel()
		threads := []uint32{32, 45, 96, 1}[seed%4]
		run := func(x coexecution.Coexecutor, workers int) (words []uint32, text string) {
			d := NewDevice(Options{Coexecutor: x, Workers: workers, MinTogether: fewTogether, MaxInstructions: 20000})
			k := kernelOf(t, d, "random.ptx", ptxHeader+scriptPrologue+body+"\n}\n", "kernel")
			once, left := k.program.(interface{ Saved() (once, left int) }).Saved()
			invariants, fewer = invariants+once, fewer+left
			n := int(threads) * 4 * 32
			buffer := upload(t, d, "out", make([]uint32, n))
			var e everything
			for _, in := range []uint64{7, 900} { // the second launch has other parameters
				if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(4, 1), Block: dims(threads, 1), Arguments: pack(buffer, in), Recorder: &e}); err != nil {
					fmt.Fprintln(&e.text, err)
				}
			}
			return download(t, d, buffer, n), e.text.String()
		}
		words, text := run(interpreter.Interpreter{Literal: true}, 1)
		for workers := 1; workers <= 3; workers += 2 {
			gotWords, gotText := run(interpreter.Interpreter{}, workers)
			if text != gotText || !slices.Equal(words, gotWords) {
				t.Fatalf("seed %d, %d threads, %d workers: -literal +scheduled:\n%s%s\n%s",
					seed, threads, workers, cmp.Diff(words, gotWords), cmp.Diff(text, gotText), body)
			}
		}
	}
	if tracetest.Whole() && (invariants < 8*len(seeds) || fewer < 10*len(seeds)) {
		t.Errorf("%d invariant instructions, %d instructions fewer in %d kernels: the test says little", invariants, fewer, len(seeds))
	}
}
