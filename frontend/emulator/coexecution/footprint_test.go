// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"hash/maphash"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/memory"
)

// Random thread blocks touch pieces of two allocations. The first block wrote to one of them. A touch fails where, by
// the definition, a piece that one of two blocks writes is touched by both, or what was not seen to be written is.
func TestTouchesFailWhereBlocksMeet(t *testing.T) {
	met := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		written, other := &memory.Allocation{Base: 4096, Bytes: 100, Data: make([]byte, 100)}, &memory.Allocation{Base: 8192, Bytes: 64, Data: make([]byte, 64)}
		f := &Footprint{Noting: true}
		first := &LaunchState{Footprint: f, Claimant: Claimant(0)}
		for range 2 {
			if !first.Touch(written, 3, 4, true) || !first.Touch(other, 0, 4, false) {
				t.Fatal("a block alone meets another one")
			}
		}
		if len(f.Written) != 1 || f.Bytes() != 100 {
			t.Fatalf("%d allocations of %d bytes were written to", len(f.Written), f.Bytes())
		}
		shift := ClaimShifts[seed%2]
		f.Watch(shift)
		pieces := make([]struct{ readers, writers map[int]bool }, 100)
		for i := range pieces {
			pieces[i].readers, pieces[i].writers = map[int]bool{}, map[int]bool{}
		}
		for range 40 {
			block, at, n, write := 1+r.IntN(3), uint64(r.IntN(90)), uint64(1+r.IntN(10)), r.IntN(4) == 0
			conflict := false
			for i := at >> shift; i <= (at+n-1)>>shift; i++ {
				p := &pieces[i]
				for b := range 4 {
					conflict = conflict || b != block && (p.writers[b] || write && p.readers[b])
				}
				if p.readers[block] = true; write {
					p.writers[block] = true
				}
			}
			l := &LaunchState{Footprint: f, Claimant: Claimant(uint64(block))}
			if got := l.Touch(written, at, n, write); got == conflict {
				t.Fatalf("seed %d: block %d touches %d bytes at %d, writing: %t: meets another one: %t", seed, block, n, at, write, conflict)
			}
			if !l.Touch(other, 8, 4, false) || l.Touch(other, 8, 4, true) {
				t.Fatalf("seed %d: memory that was not written may be read only", seed)
			}
			if conflict {
				met++
				break
			}
		}
	}
	if met < 50 {
		t.Errorf("blocks meet in %d of 200", met)
	}
}

// What is watched is put back as it was, and then watched no more.
func TestWatchedMemoryIsPutBack(t *testing.T) {
	a := &memory.Allocation{Base: 4096, Bytes: 8, Data: []byte("original")}
	f := &Footprint{Written: []*memory.Allocation{a}}
	f.Stopped.Store(true)
	f.Watch(2)
	copy(a.Data, "changed!")
	if f.Stopped.Load() || f.Noting || len(a.Claims) != 2 {
		t.Errorf("stopped %t, noting %t, %d pieces", f.Stopped.Load(), f.Noting, len(a.Claims))
	}
	f.Restore()
	if string(a.Data) != "original" || a.Claims != nil || a.Saved != nil {
		t.Errorf("%q, claims %v", a.Data, a.Claims)
	}
}

// The hash of a block's writes is of the pieces that it alone has written, and where they lie.
func TestTheHashIsOfABlocksOwnWrites(t *testing.T) {
	seed := maphash.MakeSeed()
	hash := func(base uint64, data string, touch ...uint64) uint64 {
		a := &memory.Allocation{Base: base, Bytes: uint64(len(data)), Data: []byte(data)}
		f := &Footprint{Written: []*memory.Allocation{a}}
		f.Watch(2)
		mine := &LaunchState{Footprint: f, Claimant: Claimant(5)}
		for _, at := range touch {
			mine.Touch(a, at, 1, true)
		}
		theirs := &LaunchState{Footprint: f, Claimant: Claimant(6)}
		theirs.Touch(a, 8, 1, true)
		mine.Touch(a, 4, 1, false)
		var h maphash.Hash
		h.SetSeed(seed)
		f.HashWritten(&h, Claimant(5))
		return h.Sum64()
	}
	const text = "0123456789abcd"
	same := hash(4096, text, 0, 12)
	for what, c := range map[string]struct {
		got  uint64
		want bool
	}{
		"the same":                        {hash(4096, text, 3, 13), true},
		"another byte that is only read":  {hash(4096, "0123X56789abcd", 0, 12), true},
		"another byte of another block":   {hash(4096, "01234567X9abcd", 0, 12), true},
		"another byte of the first piece": {hash(4096, "012X456789abcd", 0, 12), false},
		"another byte of the last piece":  {hash(4096, "0123456789abcX", 0, 12), false},
		"one piece less":                  {hash(4096, text, 0), false},
		"the same elsewhere":              {hash(8192, text, 0, 12), false},
	} {
		if (c.got == same) != c.want {
			t.Errorf("%s has the same hash: %t", what, !c.want)
		}
	}
}
