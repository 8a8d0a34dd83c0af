// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"encoding/binary"
	"sync/atomic"
	"testing"
	"unsafe"
)

// A program's host threads may do atomics on memory that a kernel does atomics on, if the
// kernel's have the scope of the system (8.5): no addition is lost.
func TestAtomicsOfTheSystemsScopeAndTheHostsDoNotLoseEachOther(t *testing.T) {
	const kernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b64 %d<2>; .reg .b32 %r<4>; .reg .pred %p;
	ld.param.u64 %d0, [p];
	mov.u32 %r0, 0;
L:	atom.add.sys.u32 %r1, [%d0], 1;
	red.global.sys.add.u64 [%d0+8], 1;
	add.u32 %r0, %r0, 1;
	setp.lt.u32 %p, %r0, 1000;
	@%p bra L;
	ret; }`
	d := NewDevice(Options{})
	at := upload(t, d, "p", make([]uint32, 4))
	data := d.Global.Find(at, 16).Data
	small, large := (*uint32)(unsafe.Pointer(&data[0])), (*uint64)(unsafe.Pointer(&data[8]))
	var running atomic.Bool
	running.Store(true)
	added, begun := make(chan uint64), make(chan bool)
	go func() {
		n := uint64(0)
		close(begun)
		for ; running.Load(); n++ {
			atomic.AddUint32(small, 1)
			atomic.AddUint64(large, 1)
		}
		added <- n
	}()
	<-begun
	_, err := d.Launch(LaunchRequest{Kernel: kernelOf(t, d, "k.ptx", kernel, "k"), Grid: dims(8, 1), Block: dims(256, 1), Arguments: pack(at)})
	running.Store(false)
	want := <-added + 8*256*1000
	if err != nil {
		t.Fatal(err)
	}
	if s, l := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint64(data[8:]); s != uint32(want) || l != want {
		t.Errorf("sums %d and %d, want %d", s, l, want)
	}
}
