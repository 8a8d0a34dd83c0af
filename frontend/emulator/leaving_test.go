// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// A program of structured statements; the tests also execute every thread by itself, in Go
// and without masks. It has conditions, loops with breaks, continues and returns, switches
// with an unreachable default, and calls. It also has the ways in which compilers let
// threads leave: exit, ret, a shared ret, a shared epilogue with code, an assertion block
// that all share.
type statement struct {
	kind     statementKind
	number   uint32
	bit      uint32 // of the value that decides
	children [][]statement
}

type statementKind int

const (
	doMix statementKind = iota
	doIf
	doLoop
	doSwitch
	doCall
	doLeave  // children: none; number chooses how
	doBreak  // of the innermost loop
	doAgain  // continue
	doBallot // where all threads meet that have not left
	doBarrier
	statementKinds
)

type programWriter struct {
	r      *rand.Rand
	b      strings.Builder
	labels int
	number uint32
	// lines has the numbers of the mixes by their lines.
	lines map[int]uint32
	line  int
}

// block makes statements; meets says that all threads are there, loop that a loop is around.
func (w *programWriter) block(depth int, meets, loop bool) []statement {
	var list []statement
	for range 1 + w.r.IntN(3) {
		list = append(list, w.statement(depth, loop))
		if meets {
			w.number++
			list = append(list, statement{kind: []statementKind{doBallot, doBarrier}[w.r.IntN(2)], number: w.number, bit: w.r.Uint32N(32)})
		}
	}
	return list
}

func (w *programWriter) statement(depth int, loop bool) statement {
	w.number++
	s := statement{number: w.number, bit: w.r.Uint32N(32)}
	kinds := []statementKind{doMix, doLeave, doCall}
	if depth > 0 {
		kinds = append(kinds, doIf, doIf, doIf, doLoop, doLoop, doSwitch)
	}
	if loop {
		kinds = append(kinds, doBreak, doAgain)
	}
	s.kind = kinds[w.r.IntN(len(kinds))]
	branches := map[statementKind]int{doIf: 2, doLoop: 1, doSwitch: 4}[s.kind]
	for range branches {
		s.children = append(s.children, w.block(depth-1, false, loop || s.kind == doLoop))
	}
	return s
}

// thread executes statements.
type thread struct {
	value uint32
	path  []uint32
	// met are the values at the ballots and barriers that it came to.
	met  []uint32
	left bool
	// stored is what it leaves in its word.
	stored uint32
}

type ending int

const (
	goesOn ending = iota
	breaks
	continues
	leaves
)

func (t *thread) mix(number uint32) {
	t.value = t.value*0x9e3779b1 + number
	t.path = append(t.path, number)
}

func (t *thread) decides(bit uint32) bool { return t.value>>bit&1 == 1 }

func (t *thread) run(list []statement) ending {
	for i := range list {
		if o := t.one(&list[i]); o != goesOn {
			return o
		}
	}
	return goesOn
}

func (t *thread) one(s *statement) ending {
	switch s.kind {
	case doMix:
		t.mix(s.number)
	case doIf:
		if t.decides(s.bit) {
			return t.run(s.children[0])
		}
		return t.run(s.children[1])
	case doLoop:
		for round := uint32(0); round < 3; round++ {
			t.mix(s.number)
			if o := t.run(s.children[0]); o == leaves {
				return o
			} else if o == breaks {
				break
			}
			if t.decides(s.bit) {
				break
			}
		}
	case doSwitch:
		return t.run(s.children[t.value>>(s.bit%28)&3])
	case doCall:
		return t.call(s.bit)
	case doLeave:
		if t.value>>(s.bit%28)&7 == 3 {
			return t.leave(s.number)
		}
	case doBreak, doAgain:
		if t.decides(s.bit) && t.decides(s.bit^5) {
			return map[statementKind]ending{doBreak: breaks, doAgain: continues}[s.kind]
		}
	case doBallot, doBarrier:
		t.met = append(t.met, t.value>>s.bit&1)
	}
	return goesOn
}

// leave is one of the ways out: those that store leave a mark.
func (t *thread) leave(how uint32) ending {
	t.left = true
	if how%5 == 3 {
		t.mix(epilogue)
		t.stored = t.value
	}
	return leaves
}

// call is the function that all programs have; bits of the argument make it return early, or
// end the thread.
func (t *thread) call(bit uint32) ending {
	if t.value>>bit&1 == 1 {
		t.mix(inCall)
		if t.value>>7&15 == 5 {
			t.left = true
			return leaves
		}
		if t.value>>3&1 == 1 {
			return goesOn
		}
	}
	t.mix(inCall + 1)
	return goesOn
}

// Numbers of mixes outside of the statements.
const (
	epilogue = 1 << 20
	inCall   = 1 << 21
)

func (w *programWriter) put(format string, a ...any) {
	fmt.Fprintf(&w.b, format+"\n", a...)
	w.line++
}

func (w *programWriter) mix(register string, number uint32) {
	w.put("mad.lo.u32 %s, %s, 0x9e3779b1, %d;", register, register, number)
	w.lines[w.line] = number
}

// bit sets %p1 to a bit of a register.
func (w *programWriter) bit(register string, bit uint32) {
	w.put("shr.u32 %%r2, %s, %d; and.b32 %%r2, %%r2, 1; setp.eq.u32 %%p1, %%r2, 1;", register, bit)
}

func (w *programWriter) label() string {
	w.labels++
	return fmt.Sprintf("L%d", w.labels)
}

// code writes statements; out and again are where break and continue go.
func (w *programWriter) code(list []statement, out, again string) {
	for i := range list {
		w.codeOne(&list[i], out, again)
	}
}

func (w *programWriter) codeOne(s *statement, out, again string) {
	switch s.kind {
	case doMix:
		w.mix("%r1", s.number)
	case doIf:
		otherwise, end := w.label(), w.label()
		w.bit("%r1", s.bit)
		w.put("@!%%p1 bra %s;", otherwise)
		w.code(s.children[0], out, again)
		w.put("bra %s;", end)
		w.put("%s:", otherwise)
		w.code(s.children[1], out, again)
		w.put("%s:", end)
	case doLoop:
		head, next, end := w.label(), w.label(), w.label()
		counter := fmt.Sprintf("%%c%d", w.labels)
		w.put("mov.u32 %s, 0;", counter)
		w.put("%s:", head)
		w.mix("%r1", s.number)
		w.code(s.children[0], end, next)
		w.put("%s:", next)
		// A continue asks the loop's condition again, as the end of the body does.
		w.bit("%r1", s.bit)
		w.put("@%%p1 bra %s;", end)
		w.put("add.u32 %s, %s, 1; setp.lt.u32 %%p2, %s, 3; @%%p2 bra %s;", counter, counter, counter, head)
		w.put("%s:", end)
	case doSwitch:
		w.codeSwitch(s, out, again)
	case doCall:
		w.put("shr.u32 %%r2, %%r1, %d; call (%%r1), helper, (%%r1, %%r2);", s.bit)
	case doLeave:
		w.put("shr.u32 %%r2, %%r1, %d; and.b32 %%r2, %%r2, 7; setp.eq.u32 %%p1, %%r2, 3;", s.bit%28)
		w.codeLeave(s.number)
	case doBreak, doAgain:
		to := map[statementKind]string{doBreak: out, doAgain: again}[s.kind]
		w.put("shr.u32 %%r2, %%r1, %d; shr.u32 %%r3, %%r1, %d; and.b32 %%r2, %%r2, %%r3; and.b32 %%r2, %%r2, 1; setp.eq.u32 %%p1, %%r2, 1;", s.bit, s.bit^5)
		w.put("@%%p1 bra %s;", to)
	case doBallot:
		w.bit("%r1", s.bit)
		w.put("vote.sync.ballot.b32 %%r2, %%p1, -1; mad.lo.u32 %%r5, %%r5, 31, %%r2;")
	case doBarrier:
		w.bit("%r1", s.bit)
		w.put("bar.red.popc.u32 %%r2, 0, %%p1; mad.lo.u32 %%r5, %%r5, 31, %%r2;")
	}
}

func (w *programWriter) codeSwitch(s *statement, out, again string) {
	end, table := w.label(), w.label()
	w.put("shr.u32 %%r2, %%r1, %d; and.b32 %%r2, %%r2, 3;", s.bit%28)
	var cases []string
	for range s.children {
		cases = append(cases, w.label())
	}
	w.put("%s: .branchtargets %s, UNREACHABLE;", table, strings.Join(cases, ", "))
	w.put("brx.idx %%r2, %s;", table)
	for i, c := range cases {
		w.put("%s:", c)
		w.code(s.children[i], out, again)
		w.put("bra %s;", end)
	}
	w.put("%s:", end)
}

func (w *programWriter) codeLeave(how uint32) {
	switch how % 5 {
	case 0:
		w.put("@%%p1 exit;")
	case 1:
		w.put("@%%p1 bra RETURN;")
	case 2:
		on := w.label()
		w.put("@!%%p1 bra %s;", on)
		w.put("mov.u32 %%r4, 7; ret;")
		w.put("%s:", on)
	case 3:
		w.put("@%%p1 bra EPILOGUE;")
	case 4:
		w.put("@%%p1 bra FAILED;")
	}
}

// program writes a kernel; the last word that a thread stores is at %d0.
func (w *programWriter) program(target string, list []statement) string {
	w.line = 0
	w.lines = map[int]uint32{}
	w.put(".version 8.0")
	w.put(".target %s", target)
	w.put(".address_size 64")
	w.put(".func (.reg .b32 %%o) helper(.reg .b32 %%i, .reg .b32 %%b) { .reg .pred %%p<4>; .reg .b32 %%r<4>;")
	w.put("mov.u32 %%o, %%i; and.b32 %%r1, %%b, 1; setp.eq.u32 %%p1, %%r1, 1;")
	w.put("@!%%p1 bra REST;")
	w.mix("%o", inCall)
	w.put("shr.u32 %%r1, %%o, 7; and.b32 %%r1, %%r1, 15; setp.eq.u32 %%p1, %%r1, 5;")
	w.put("@%%p1 bra GONE;")
	w.put("and.b32 %%r1, %%o, 8; setp.ne.u32 %%p1, %%r1, 0;")
	w.put("@%%p1 bra BACK;")
	w.put("REST:")
	w.mix("%o", inCall+1)
	w.put("BACK: ret;")
	w.put("GONE: exit; }")
	w.put(".visible .entry kernel(.param .u64 out, .param .u64 in) {")
	w.put(".reg .pred %%p<8>; .reg .b32 %%r<8>; .reg .b32 %%c<%d>; .reg .b64 %%d<8>;", 4000)
	w.put("ld.param.u64 %%d1, [out]; mov.u32 %%r0, %%tid.x; mad.wide.u32 %%d0, %%r0, 8, %%d1; mul.lo.u32 %%r1, %%r0, 0x85ebca6b; xor.b32 %%r1, %%r1, 0x5bd1e995; mov.u32 %%r5, 0;")
	w.code(list, "", "")
	w.put("@%%p7 exit;") // no thread does
	w.put("EPILOGUE:")
	w.mix("%r1", epilogue)
	w.put("st.global.v2.u32 [%%d0], {%%r1, %%r5};")
	w.put("RETURN: ret;")
	w.put("FAILED: mov.u32 %%r4, 1; exit;")
	w.put("UNREACHABLE: exit; }")
	return w.b.String()
}

// laneRecorder keeps the segments that each thread visits.
type laneRecorder struct {
	discard
	paths [64][]uint32
}

func (r *laneRecorder) Visit(warp int, block, mask uint32) {
	for lane := range WarpSize {
		if mask>>lane&1 != 0 {
			r.paths[warp*WarpSize+lane] = append(r.paths[warp*WarpSize+lane], block)
		}
	}
}

// mixes are the numbers of the mixes in segments, in order.
func mixes(k *LoadedKernel, lines map[int]uint32, segments []uint32) []uint32 {
	var list []uint32
	for _, id := range segments {
		s := &k.contaminated.Segments[id]
		for i := s.First; i < s.First+s.Count; i++ {
			if n, ok := lines[k.contaminated.PTX.Body[i].Line]; ok && k.contaminated.PTX.Body[i].Op.String() == "mad" {
				list = append(list, n)
			}
		}
	}
	return list
}

// checkLeaving runs a random program in two warps and compares every thread with itself alone.
func checkLeaving(t *testing.T, seed uint64) {
	t.Helper()
	w := &programWriter{r: rand.New(rand.NewPCG(seed, 5))}
	list := w.block(3, true, false)
	for len(list) < 8 {
		list = append(list, w.block(3, true, false)...)
	}
	const threads = 64
	var alone [threads]thread
	for i := range alone {
		alone[i].value = uint32(i)*0x85ebca6b ^ 0x5bd1e995
		if alone[i].run(list); !alone[i].left {
			alone[i].mix(epilogue)
			alone[i].stored = alone[i].value
		}
	}
	target := []string{"sm_60", "sm_80"}[seed%2]
	text := w.program(target, list)
	d := NewDevice(Options{MaxInstructions: 1 << 20})
	k := kernelOf(t, d, "leaving.ptx", text, "kernel")
	out, r := upload(t, d, "out", make([]uint32, 2*threads)), &laneRecorder{}
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(threads, 1), Arguments: pack(out, out), Recorder: r}); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	words := download(t, d, out, 2*threads)
	for i := range alone {
		a := &alone[i]
		if got := mixes(k, w.lines, r.paths[i]); !slices.Equal(got, a.path) {
			t.Fatalf("seed %d, thread %d takes %v, alone %v\n%s", seed, i, got, a.path, text)
		}
		if want := [2]uint32{a.stored, met(alone[:], i, list)}; a.stored != 0 && words[2*i] != want[0] || a.stored != 0 && words[2*i+1] != want[1] {
			t.Fatalf("seed %d, thread %d stores %#x, want %#x\n%s", seed, i, words[2*i:2*i+2], want, text)
		}
	}
}

// met is what thread i computes of the ballots and barriers that it comes to: with all threads
// of its warp or block that come there.
func met(all []thread, i int, list []statement) uint32 {
	result, n := uint32(0), 0
	for _, s := range list {
		if s.kind != doBallot && s.kind != doBarrier || n == len(all[i].met) {
			continue
		}
		ballot, count := uint32(0), uint32(0)
		for j := range all {
			if n < len(all[j].met) && all[j].met[n] == 1 {
				count++
				if j/WarpSize == i/WarpSize {
					ballot |= 1 << (j % WarpSize)
				}
			}
		}
		if n++; s.kind == doBallot {
			result = result*31 + ballot
		} else {
			result = result*31 + count
		}
	}
	return result
}

func TestThreadsThatLeaveDoNotKeepTheOthersApart(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 400, tracetest.Fewer(12, 40)) {
		checkLeaving(t, seed)
	}
}

func FuzzLeaving(f *testing.F) {
	f.Add(uint64(1000))
	f.Fuzz(checkLeaving)
}
