// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
)

func TestStorePastABufferNamesThreadAndBuffer(t *testing.T) {
	d := NewDevice(Options{})
	k := reference(t, d, "saxpy.sm70.ptx", "saxpy")
	x, y := upload(t, d, "x", make([]uint32, 2048)), upload(t, d, "y", make([]uint32, 1024))
	_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(16, 1), Block: dims(96, 1), Arguments: pack(y, x, float32(1), uint32(2048))})
	// Block 10 has threads 960 to 1055; the 65th is the first past y, which is
	// loaded before it is stored.
	want := fmt.Sprintf("saxpy.sm70.ptx:41: out-of-bounds load of 4 bytes at 0x%x by thread (64,0,0) of block (10,0,0) in kernel saxpy: "+
		"4 bytes past the end of buffer y (4096 bytes)", y+4096)
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v, want\n%v", err, want)
	}
}

func TestFaultsSayWhatWhereAndWhy(t *testing.T) {
	const at = "by thread (%d,0,0) of block (0,0,0) in kernel kernel: "
	first := fmt.Sprintf(at, 0)
	cases := []struct {
		name, body string
		kind       coexecution.FaultKind
		want       string // after the line
	}{
		{"store past the end", `st.global.u32 [%d0+64], %r0; ret;`, coexecution.FaultOutOfBounds,
			"out-of-bounds store of 4 bytes at 0xc0000080 " + fmt.Sprintf(at, 16) + "4 bytes past the end of buffer out (128 bytes)"},
		{"load before the first buffer", `ld.global.u32 %r1, [%d0+-4]; ret;`, coexecution.FaultOutOfBounds,
			"out-of-bounds load of 4 bytes at 0xbffffffc " + first + "4 bytes before the start of buffer out (128 bytes)"},
		{"null", `mov.u64 %d3, 0; ld.global.u32 %r1, [%d3+16]; ret;`, coexecution.FaultNull,
			"null-pointer load of 4 bytes at 0x10 " + first + "the first page of memory is never mapped"},
		{"misaligned", `ld.global.u32 %r1, [%d0+2]; ret;`, coexecution.FaultMisaligned,
			"misaligned load of 4 bytes at 0xc0000002 " + first + "the address must be a multiple of 4"},
		{"misaligned vector", `ld.global.v2.u32 {%r1,%r2}, [%d0]; ret;`, coexecution.FaultMisaligned,
			"misaligned load of 8 bytes at 0xc0000004 " + fmt.Sprintf(at, 1) + "the address must be a multiple of 8"},
		{"shared", `.shared .align 4 .b8 s[64]; mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 4, %r1; st.shared.u32 [%r1], 1; ret;`, coexecution.FaultOutOfBounds,
			"out-of-bounds shared store of 4 bytes at 0x40 " + fmt.Sprintf(at, 16) + "4 bytes past the end of the thread block's shared memory (64 bytes)"},
		{"local", `.local .align 4 .b8 l[8]; mov.u64 %d3, l; ld.local.u32 %r1, [%d3+8]; ret;`, coexecution.FaultOutOfBounds,
			"out-of-bounds local load of 4 bytes at 0x8 " + first + "4 bytes past the end of the thread's local memory (8 bytes)"},
		{"atomic", `atom.global.add.u32 %r1, [%d0+128], 1; ret;`, coexecution.FaultOutOfBounds,
			"out-of-bounds atomic of 4 bytes at 0xc0000080 " + first + "4 bytes past the end of buffer out (128 bytes)"},
		{"generic shared", `.shared .align 4 .b8 s[64]; mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; st.u32 [%d3+64], 1; ret;`, coexecution.FaultOutOfBounds,
			"out-of-bounds store of 4 bytes at 0x40000040 " + first + "4 bytes past the end of the thread block's shared memory (64 bytes)"},
		{"constant", `mov.u64 %d3, table; cvta.const.u64 %d3, %d3; st.u32 [%d3], 1; ret;`, coexecution.FaultReadOnly,
			"forbidden store of 4 bytes at 0x20000000 " + first + "variable table is constant"},
		{"uninitialised shared", `.shared .align 4 .b8 s[128]; mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 4, %r1; setp.ne.u32 %p1, %r0, 3; @%p1 st.shared.u32 [%r1], 1; ld.shared.u32 %r2, [%r1]; ret;`, coexecution.FaultUninitialisedShared,
			"uninitialised shared memory: shared load of 4 bytes at 0xc " + fmt.Sprintf(at, 3) + "no thread of the block has written byte 12 of shared memory"},
		{"trap", `setp.eq.u32 %p1, %r0, 7; @%p1 trap; ret;`, coexecution.FaultTrap, "trap " + strings.TrimSuffix(fmt.Sprintf(at, 7), ": ")},
		{"budget", `LOOP: bra LOOP;`, coexecution.FaultBudget,
			"instruction budget exhausted " + first + fmt.Sprintf("the launch executed more than 5000 warp instructions, the last of them mostly in line %d", scriptLine)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := script{declarations: ".const .align 4 .b32 table[1] = {7};", body: c.body, options: Options{CheckShared: true, MaxInstructions: 5000}}
			f := s.fault(t)
			if want := fmt.Sprintf("script.ptx:%d: %s", scriptLine, c.want); f.Kind != c.kind || f.Error() != want {
				t.Errorf("%v\n%v, want %v\n%v", f.Kind, f, c.kind, want)
			}
		})
	}
}

func TestUseAfterFreeNamesTheFreedBuffer(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "f.ptx", ptxHeader+".visible .entry f(.param .u64 p) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [p]; ld.global.u32 %r, [%d+8]; ret; }", "f")
	old := upload(t, d, "old", make([]uint32, 4))
	upload(t, d, "new", make([]uint32, 4))
	launch := LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Arguments: pack(old)}
	if _, err := d.Launch(launch); err != nil {
		t.Fatal(err)
	}
	if err := d.Free(old); err != nil {
		t.Fatal(err)
	}
	_, err := d.Launch(launch)
	var f *coexecution.Fault
	if !errors.As(err, &f) || f.Kind != coexecution.FaultUseAfterFree || f.Detail != "offset 8 of buffer old (16 bytes), which was freed" {
		t.Errorf("error %v, want a use after free of old", err)
	}
	if err := d.Free(old); err == nil || !strings.Contains(err.Error(), "freed before") {
		t.Errorf("second free: %v", err)
	}
}

func TestFaultCarriesTheSourceLine(t *testing.T) {
	text := ptxHeader + `.file 1 "kernel.cu"
.visible .entry f() { .reg .b64 %d; .reg .b32 %r;
.loc 1 42 3
mov.u64 %d, 0;
ld.global.u32 %r, [%d];
ret; }`
	d := NewDevice(Options{})
	_, err := d.Launch(LaunchRequest{Kernel: kernelOf(t, d, "f.ptx", text, "f"), Grid: dims(2, 1), Block: dims(1, 1)})
	var f *coexecution.Fault
	if !errors.As(err, &f) {
		t.Fatalf("error %v, want a fault", err)
	}
	if f.SourceFile != "kernel.cu" || f.SourceLine != 42 || f.Instruction != "ld.global.u32 %r, [%d];" || !strings.HasSuffix(f.Error(), "(source kernel.cu:42)") {
		t.Errorf("source %s:%d, instruction %q: %v", f.SourceFile, f.SourceLine, f.Instruction, f)
	}
}

func TestLaunchesThatCannotBeAreRefused(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "f.ptx", ptxHeader+".visible .entry f(.param .u64 p) .maxntid 64 { ret; }", "f")
	one := trace.Dim3{X: 1, Y: 1, Z: 1}
	cases := []struct {
		want string
		l    LaunchRequest
	}{
		{"grid (0,1,1) is outside", LaunchRequest{Grid: trace.Dim3{X: 0, Y: 1, Z: 1}, Block: one, Arguments: pack(uint64(0))}},
		{"thread block (32,64,1) is outside", LaunchRequest{Grid: one, Block: trace.Dim3{X: 32, Y: 64, Z: 1}, Arguments: pack(uint64(0))}},
		{"thread block of 128 threads, but .maxntid allows 64", LaunchRequest{Grid: one, Block: trace.Dim3{X: 128, Y: 1, Z: 1}, Arguments: pack(uint64(0))}},
		{"4 bytes of arguments, but its parameters take 8", LaunchRequest{Grid: one, Block: one, Arguments: pack(uint32(0))}},
		{"bytes of shared memory; a thread block has at most", LaunchRequest{Grid: one, Block: one, Arguments: pack(uint64(0)), DynamicShared: 1 << 20}},
	}
	for _, c := range cases {
		c.l.Kernel = k
		if _, err := d.Launch(c.l); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestCancelledLaunchStops(t *testing.T) {
	d := NewDevice(Options{})
	k := kernelOf(t, d, "f.ptx", ptxHeader+".visible .entry f() { LOOP: bra LOOP; }", "f")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(1, 1), Context: ctx})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancellation", err)
	}
}
