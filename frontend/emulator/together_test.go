// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// fewTogether lets the short launches of tests run on several cores, too.
const fewTogether = 1 << 13

// callLog keeps every call of the Recorder as text.
type callLog struct {
	calls  []string
	blocks int
	failAt int // the block whose EndBlock fails, counted from 1
}

var errFull = errors.New("disk full")

func (l *callLog) BeginBlock(block uint64) { l.add("block", block) }
func (l *callLog) Visit(warp int, basicBlock, mask uint32) {
	l.add("visit", warp, basicBlock, mask)
}
func (l *callLog) Guard(warp int, mask uint32) { l.add("guard", warp, mask) }
func (l *callLog) Access(warp int, mask uint32, a *[32]uint64) {
	active := *a
	for i := range active {
		if mask>>i&1 == 0 {
			active[i] = 0
		}
	}
	l.add("access", warp, mask, active)
}
func (l *callLog) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	l.add("stride", warp, mask, base, stride)
}
func (l *callLog) EndBlock() error {
	l.add("end")
	if l.blocks++; l.blocks == l.failAt {
		return errFull
	}
	return nil
}
func (l *callLog) add(v ...any) { l.calls = append(l.calls, fmt.Sprint(v...)) }

// outcome is all that can be seen of a launch.
type outcome struct {
	words    []uint32
	calls    []string
	progress []uint64
	result   LaunchResult
	fault    string
	ordered  bool
}

const togetherBlocks = 96

// together launches a body with a number of workers. Each thread finds its index
// in the grid in %r0, the address of its own word in %d0, and the block's index in
// %r1. Register %r2 counts down some work, so that several cores are worth it.
func together(t *testing.T, workers int, body string, options Options, failAt int) outcome {
	t.Helper()
	text := ptxHeader + `.visible .entry kernel(.param .u64 out, .param .u64 in)
	{
	.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %d<32>;
	ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in];
	mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
	mad.lo.u32 %r0, %r1, 64, %r0;
	mad.wide.u32 %d0, %r0, 4, %d1; mad.wide.u32 %d3, %r0, 4, %d2;
	mov.u32 %r2, 60;
	WORK: sub.u32 %r2, %r2, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra WORK;
	` + body + "\nret;\n}\n"
	options.Workers, options.MinTogether = workers, fewTogether
	d := NewDevice(options)
	k := kernelOf(t, d, "together.ptx", text, "kernel")
	words := togetherBlocks * 64
	input := make([]uint32, words)
	for i := range input {
		input[i] = uint32(i) * 2654435761
	}
	out, in := upload(t, d, "out", make([]uint32, words)), upload(t, d, "in", input)
	log := &callLog{failAt: failAt}
	var o outcome
	var err error
	o.result, err = d.Launch(LaunchRequest{Kernel: k, Grid: dims(togetherBlocks, 1), Block: dims(64, 1), Arguments: pack(out, in),
		Recorder: log, Progress: func(n uint64) { o.progress = append(o.progress, n) }})
	if err != nil {
		o.fault = err.Error()
	}
	o.words = append(download(t, d, out, words), download(t, d, in, words)...)
	o.calls, o.ordered = log.calls, k.conflicts == len(coexecution.ClaimShifts)
	for _, a := range d.Global.Allocations {
		if a.Claims != nil || a.Saved != nil {
			t.Error("memory is still watched after the launch")
		}
	}
	return o
}

// sameAsAlone compares a launch on several cores with one on a single core.
func sameAsAlone(t *testing.T, body string, options Options, ordered bool, failAt int) {
	t.Helper()
	alone := together(t, 1, body, options, failAt)
	for _, workers := range []int{2, 5} {
		got := together(t, workers, body, options, failAt)
		if got.ordered != ordered {
			t.Errorf("%d workers: found that the order matters: %t, want %t", workers, got.ordered, ordered)
		}
		if got.result != alone.result || got.fault != alone.fault {
			t.Errorf("%d workers: %+v, fault %q; alone %+v, fault %q", workers, got.result, got.fault, alone.result, alone.fault)
		}
		if !slices.Equal(got.words, alone.words) {
			t.Errorf("%d workers: memory differs from that of one", workers)
		}
		if !slices.Equal(got.calls, alone.calls) || !slices.Equal(got.progress, alone.progress) {
			t.Errorf("%d workers: the record differs from that of one", workers)
		}
	}
}

func TestIndependentBlocksRunTogether(t *testing.T) {
	for name, body := range map[string]string{
		"in place":             "ld.global.u32 %r5, [%d0]; add.u32 %r5, %r5, %r0; st.global.u32 [%d0], %r5;",
		"input":                "ld.global.u32 %r5, [%d3]; st.global.u32 [%d0], %r5;",
		"same input":           "ld.global.u32 %r5, [%d2]; st.global.u32 [%d0], %r5;",
		"scattered":            "xor.b32 %r6, %r0, 13; mad.wide.u32 %d4, %r6, 4, %d1; ld.global.u32 %r5, [%d4]; add.u32 %r5, %r5, 7; st.global.u32 [%d4], %r5;",
		"neighbours in a line": "and.b32 %r6, %r0, 15; mad.lo.u32 %r6, %r1, 16, %r6; mad.wide.u32 %d4, %r6, 4, %d1; st.global.u32 [%d4], %r0;",
		"diverged":             "and.b32 %r6, %r0, 1; setp.eq.u32 %p1, %r6, 0; @%p1 st.global.u32 [%d0], %r0;",
	} {
		t.Run(name, func(t *testing.T) { sameAsAlone(t, body, Options{}, false, 0) })
	}
}

func TestDependentBlocksGiveTheResultsOfTheirOrder(t *testing.T) {
	for name, body := range map[string]string{
		// Each block adds to what the block before left.
		"read after write": "setp.eq.u32 %p1, %r1, 0; @%p1 bra FIRST; ld.global.u32 %r5, [%d0+-256]; FIRST: add.u32 %r5, %r5, 1; st.global.u32 [%d0], %r5;",
		// Each block reads what the block after it will write.
		"write after read":  "setp.eq.u32 %p1, %r1, 95; @%p1 bra LAST; ld.global.u32 %r5, [%d0+256]; LAST: add.u32 %r5, %r5, 1; st.global.u32 [%d0], %r5;",
		"write after write": "st.global.u32 [%d1], %r0;",
		"neighbour in word": "cvt.u64.u32 %d5, %r0; add.u64 %d4, %d1, %d5; add.u64 %d4, %d4, 2; st.global.u8 [%d4], %r0;",
		// Only a late block touches the input, which the first one was not seen to write.
		"late writer": "setp.eq.u32 %p1, %r1, 90; @%p1 st.global.u32 [%d3], %r0; ld.global.u32 %r5, [%d2+23040]; st.global.u32 [%d0], %r5;",
	} {
		t.Run(name, func(t *testing.T) { sameAsAlone(t, body, Options{}, true, 0) })
	}
}

func TestFaultsAreTheFirstInTheSerialOrder(t *testing.T) {
	const far = "mov.u64 %d9, 64; "
	sameAsAlone(t, far+"setp.ge.u32 %p1, %r1, 40; @%p1 st.global.u32 [%d9], %r0; st.global.u32 [%d0], %r0;", Options{}, false, 0)
}

func TestTheBudgetEndsAtTheSameInstruction(t *testing.T) {
	sameAsAlone(t, "st.global.u32 [%d0], %r0;", Options{MaxInstructions: 20000}, false, 0)
	sameAsAlone(t, "st.global.u32 [%d0], %r0; setp.eq.u32 %p1, %r1, 50; SPIN: @%p1 bra SPIN;", Options{MaxInstructions: 60000}, false, 0)
}

func TestAnErrorOfTheRecorderEndsALaunchOnAllCores(t *testing.T) {
	o := together(t, 4, "st.global.u32 [%d0], %r0;", Options{}, 30)
	if o.fault != errFull.Error() || o.ordered || len(o.progress) != 29 {
		t.Errorf("error %q after %d blocks, want %q after 29", o.fault, len(o.progress), errFull)
	}
}

func TestBlocksWithGlobalAtomicsKeepTheirOrder(t *testing.T) {
	for body, want := range map[string]bool{
		"atom.global.add.u32 %r5, [%d1], 1;":                        false,
		"red.global.add.f32 [%d1], 0f3F800000;":                     false,
		"mov.u32 %r5, %clock; st.global.u32 [%d0], %r5;":            false,
		"st.global.u32 [%d0], %r0;":                                 true,
		"ld.volatile.global.u32 %r5, [%d0]; membar.gl; bar.sync 0;": true,
	} {
		d := NewDevice(Options{})
		text := ptxHeader + ".visible .entry kernel(.param .u64 out) {.reg .b32 %r<8>; .reg .b64 %d<8>; ld.param.u64 %d1, [out]; mov.u64 %d0, %d1; mov.u32 %r0, 0;" + body + " ret; }"
		if got := mayTogether(kernelOf(t, d, "atomics.ptx", text, "kernel")); got != want {
			t.Errorf("%s: may run on several cores: %t, want %t", body, got, want)
		}
	}
}

func TestACancelledLaunchEndsOnAllCores(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	d := NewDevice(Options{Workers: 4, MinTogether: fewTogether})
	text := ptxHeader + strings.TrimPrefix(scriptPrologue, "\n") + "st.global.u32 [%d1], %r0; mov.u32 %r4, 3000; L: sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L; ret; }"
	k := kernelOf(t, d, "cancel.ptx", text, "kernel")
	out := upload(t, d, "out", make([]uint32, 64))
	_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(4096, 1), Block: dims(32, 1), Arguments: pack(out, out), Context: ctx,
		Progress: func(uint64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the launch was cancelled", err)
	}
}
