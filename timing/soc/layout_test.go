// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
)

// Places are one to one, whole buffers stay in one piece, and what lies in a page is
// found again.
func TestBuffersArePlacedPageByPageAndFoundAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	l := newLayout(4096)
	var events []trace.HostEvent
	next := uint64(0x1000_0100)
	for range 200 {
		e := trace.HostEvent{Kind: trace.EventAllocate, Address: next, Bytes: 1 + rng.Uint64N(20000)}
		events = append(events, e)
		next += (e.Bytes + 255) &^ 255
	}
	if err := l.placeBuffers(events); err != nil {
		t.Fatal(err)
	}
	pages := map[uint64]int{}
	for i, e := range events {
		_, first := l.place(e.Address)
		if first%4096 != 0 {
			t.Fatalf("buffer %d begins at %#x, inside a page", i, first)
		}
		for at := uint64(0); at < e.Bytes; at += 64 {
			space, v := l.place(e.Address + at)
			if v != first+at || space != spaceProcess {
				t.Fatalf("byte %d of buffer %d lies at %#x in space %d", at, i, v, space)
			}
			if owner, taken := pages[v/4096]; taken && owner != i {
				t.Fatalf("buffers %d and %d share a page", owner, i)
			}
			pages[v/4096] = i
			from, to := l.recorded(space, v/4096)
			if e.Address+at < from || e.Address+at > to || from < e.Address || to >= e.Address+e.Bytes {
				t.Fatalf("page %#x has addresses %#x to %#x of buffer %d, not %#x", v/4096, from, to, i, e.Address+at)
			}
		}
	}
	if _, v := l.place(42); v != 42 {
		t.Errorf("an address in no buffer lies at %#x", v)
	}
	if space, v := l.place(1<<60 | 3<<40 | 8); space != spaceSM || v != 1<<45|3<<40|8 {
		t.Errorf("a local address lies at %#x of space %d", v, space)
	}
}

func TestABufferThatIsAllocatedAgainLiesWhereItDid(t *testing.T) {
	l := newLayout(4096)
	err := l.placeBuffers([]trace.HostEvent{
		{Kind: trace.EventAllocate, Address: 0x1000, Bytes: 0x3000},
		{Kind: trace.EventFree, Address: 0x1000},
		{Kind: trace.EventAllocate, Address: 0x2000, Bytes: 0x4000},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, a := l.place(0x1000)
	for at := uint64(0x1000); at < 0x6000; at += 64 {
		if _, v := l.place(at); v != a+at-0x1000 {
			t.Fatalf("%#x lies at %#x, not %#x", at, v, a+at-0x1000)
		}
	}
}

// Buffers that touch each other share no byte: each begins a page of its own.
func TestBuffersThatTouchAreApart(t *testing.T) {
	for _, order := range [][2]uint64{{0x1000, 0x1800}, {0x1800, 0x1000}} {
		l := newLayout(4096)
		for _, at := range order {
			if err := l.add(at, 0x800); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range order {
			if _, v := l.place(at); v%4096 != 0 {
				t.Errorf("placed in order %#x: the buffer at %#x begins at %#x, inside a page", order, at, v)
			}
		}
	}
}

// A page of the windows of SMs, and one that belongs to no buffer, has the addresses of
// all its bytes.
func TestAPageOfNoBufferHasAllItsAddresses(t *testing.T) {
	for _, bytes := range []uint64{4096, 65536} {
		l := newLayout(int(bytes))
		if err := l.add(0x1000, 0x800); err != nil {
			t.Fatal(err)
		}
		for _, address := range []uint64{1<<60 | 3<<40 | 5*bytes, 7 * bytes} {
			for _, at := range []uint64{0, 1, bytes / 2, bytes - 1} {
				space, v := l.place(address + at)
				if first, last := l.recorded(space, v/bytes); first != address || last != address+bytes-1 {
					t.Errorf("pages of %d bytes: that of %#x has addresses %#x to %#x, want %#x to %#x", bytes, address+at, first, last, address, address+bytes-1)
				}
			}
		}
	}
}
