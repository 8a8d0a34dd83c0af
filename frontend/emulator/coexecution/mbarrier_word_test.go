// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

// An mbarrier's parts come out as they went in: counts of 0 to 2^20-1 (PTX ISA 9.7.13.15), bytes of either sign.
func TestPartsOfAnMbarrier(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		expected, pending, tx, phase := r.Uint64N(1<<20), r.Uint64N(1<<20), r.Int64N(1<<21)-1<<20, r.Uint64()&MbarrierPhase
		word := MbarrierWord(expected, pending, tx, phase)
		if word&MbarrierCountMask != expected || MbarrierPending(word) != pending || MbarrierTx(word) != tx || word&MbarrierPhase != phase || word&MbarrierValid == 0 {
			t.Fatalf("%d, %d, %d and %x became %x", expected, pending, tx, phase, word)
		}
	}
}

// A phase is over when the mbarrier is in another one; who waits for none need not wait.
func TestAPhaseIsOverInTheNext(t *testing.T) {
	if !new(Await).Over() {
		t.Error("no phase is waited for, and it is not over")
	}
	for _, c := range []struct {
		now, waited uint64
		over        bool
	}{{0, 0, false}, {MbarrierPhase, 0, true}, {0, MbarrierPhase, true}, {MbarrierPhase, MbarrierPhase, false}} {
		a := &Await{Memory: binary.LittleEndian.AppendUint64(nil, MbarrierWord(5, 3, -16, c.now)), Phase: c.waited}
		if a.Over() != c.over {
			t.Errorf("phase %x, waiting for the end of %x: %t", c.now>>63, c.waited>>63, a.Over())
		}
		if want := map[bool]string{false: "its phase 0 ", true: "its phase 1 "}[c.now != 0] + "waits for 3 of 5 arrivals and -16 bytes"; a.State() != want {
			t.Errorf("%q, want %q", a.State(), want)
		}
	}
	if got := (&Await{Memory: make([]byte, 8)}).State(); got != "it was not initialised" {
		t.Errorf("%q", got)
	}
}

// The kinds of barriers by their instructions (PTX ISA 9.7.13.1).
func TestKindsOfBarriers(t *testing.T) {
	want := []struct {
		text string
		kind BarrierKind
	}{
		{"bar.sync 1;", BarrierSync}, {"barrier.sync 1, 64;", BarrierSync}, {"bar.arrive 1, 64;", BarrierArrive},
		{"bar.red.popc.u32 %r, 1, %p;", BarrierRedPopc}, {"bar.red.and.pred %p, 1, %p;", BarrierRedAnd}, {"bar.red.or.pred %p, 1, %p;", BarrierRedOr},
	}
	text := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .u32 %r; .reg .pred %p;\n"
	for _, w := range want {
		text += w.text + "\n"
	}
	m, err := ptx.Parse("k.ptx", []byte(text+"ret;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		in := &m.Kernels[0].Body[i]
		if got := KindOfBarrier(in); got != w.kind {
			t.Errorf("%s is of kind %v, want %v", w.text, got, w.kind)
		}
	}
}
