// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
)

// relaunched adds its argument to a word of each thread, by way of shared memory, which it
// reads first: that of an earlier launch must not be there. Thread 0 of block 1 faults for
// a count of threads that is negative.
const relaunched = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 x)
{
  .reg .pred %q;
  .reg .b32 %r<9>;
  .reg .b64 %rd<5>;
  .shared .align 4 .b8 s[4096];
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [x];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r5, %r3, %r4, %r2;
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd3, %rd1, %rd2;
  shl.b32 %r6, %r2, 2;
  mov.u32 %r7, s;
  add.u32 %r6, %r7, %r6;
  ld.shared.u32 %r7, [%r6];
  add.u32 %r7, %r7, %r1;
  setp.eq.u32 %q, %r1, 4294967295;
  @%q ld.global.u32 %r7, [16];
  st.shared.u32 [%r6], %r7;
  bar.sync 0;
  ld.shared.u32 %r7, [%r6];
  ld.global.u32 %r8, [%rd3];
  add.u32 %r8, %r8, %r7;
  st.global.u32 [%rd3], %r8;
  ret;
}`

// A launch takes over the memory of the kernel's last one. Random launches of the same
// kernel, of all shapes, with other arguments and after faults, do what they should.
func TestLaunchesOfOneKernelDoNotSeeEachOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 1))
	d := NewDevice(Options{GlobalBytes: 1 << 20})
	k := kernelOf(t, d, "k.ptx", relaunched, "k")
	const words = 4 * 1024
	buffer := upload(t, d, "b", make([]uint32, words))
	want := make([]uint32, words)
	for n := range 300 {
		x, blocks, threads := rng.Uint32N(1000), 1+rng.Uint32N(4), 1+rng.Uint32N(1024)
		if rng.IntN(10) == 0 {
			x = 4294967295
		}
		request := LaunchRequest{Kernel: k, Grid: trace.Dim3{X: blocks, Y: 1, Z: 1}, Block: trace.Dim3{X: threads, Y: 1, Z: 1}, Arguments: pack(buffer, x), DynamicShared: 16 * rng.Uint32N(3)}
		if _, err := d.Launch(request); (err != nil) != (x == 4294967295) {
			t.Fatalf("launch %d: %v", n, err)
		} else if err == nil {
			for i := range blocks * threads {
				want[i] += x
			}
		}
	}
	got := make([]byte, 4*words)
	if err := d.Read(buffer, got); err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if g := binary.LittleEndian.Uint32(got[4*i:]); g != w {
			t.Fatalf("word %d is %d, want %d", i, g, w)
		}
	}
}

// A tiny launch takes little memory besides what its kernel has kept.
func TestALaunchTakesLittleMemory(t *testing.T) {
	d := NewDevice(Options{GlobalBytes: 1 << 20})
	k := kernelOf(t, d, "k.ptx", relaunched, "k")
	request := LaunchRequest{Kernel: k, Grid: trace.Dim3{X: 2, Y: 1, Z: 1}, Block: trace.Dim3{X: 64, Y: 1, Z: 1}, Arguments: pack(upload(t, d, "b", make([]uint32, 128)), uint32(1))}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := d.Launch(request); err != nil {
			t.Fatal(err)
		}
	}); n > 3 {
		t.Errorf("a launch allocates %v times", n)
	}
}
