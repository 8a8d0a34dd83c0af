// SPDX-License-Identifier: Apache-2.0

package loadstore

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// A queue holds what its units can issue during operand read and the transfer, and two.
func TestTheQueueHoldsWhatIssuesDuringOperandRead(t *testing.T) {
	for _, c := range []struct{ units, read, transfer, want int }{{1, 4, 0, 6}, {2, 4, 0, 10}, {1, 4, 3, 9}, {0, 0, 0, 2}} {
		q := NewQueue(&arch.SM{Units: arch.Units{LDST: c.units}, OperandReadCycles: c.read}, c.transfer)
		for n := range c.want {
			if q.Full() {
				t.Errorf("%+v: full with %d", c, n)
				break
			}
			q.Push(0)
		}
		if !q.Full() || q.Count() != c.want {
			t.Errorf("%+v: not full with %d", c, q.Count())
		}
	}
}

// Memory instructions leave in the order of issue, each with its cycle, also round the
// end of the ring.
func TestMemoryInstructionsLeaveInOrder(t *testing.T) {
	q := NewQueue(&arch.SM{Units: arch.Units{LDST: 1}, OperandReadCycles: 1}, 0) // room for 3
	pushed, popped := 0, 0
	push := func() { q.Push(clock.Cycle(100 + pushed)).WarpSlot = pushed; pushed++ }
	pop := func() {
		if at := q.HeadAt(); at != clock.Cycle(100+popped) {
			t.Fatalf("number %d can leave from cycle %d on", popped, at)
		}
		if a := q.Pop(); a.WarpSlot != popped {
			t.Fatalf("number %d left as number %d", a.WarpSlot, popped)
		}
		popped++
	}
	push()
	push()
	for range 10 {
		push()
		pop()
	}
	pop()
	pop()
	if q.Count() != 0 {
		t.Errorf("%d left", q.Count())
	}
}

func TestATokenNamesOneLoadInFlight(t *testing.T) {
	tokens := NewTokens()
	a, b := tokens.Give(InFlight{Warp: 3, Instruction: 7}), tokens.Give(InFlight{Warp: 4, Instruction: 8, Copy: 2})
	if a == b || tokens.Live() != 2 {
		t.Fatalf("tokens %d and %d, %d live", a, b, tokens.Live())
	}
	if f, ok := tokens.Take(a); !ok || f.Warp != 3 || f.Instruction != 7 || f.Copy != 0 {
		t.Errorf("the first: %+v, %v", f, ok)
	}
	if _, ok := tokens.Take(a); ok || tokens.Live() != 1 {
		t.Errorf("a load completed twice; %d live", tokens.Live())
	}
	if _, ok := tokens.Take(2); ok {
		t.Error("the token behind the last names a load")
	}
	if _, ok := tokens.Take(seam.NoToken); ok {
		t.Error("no token names a load")
	}
	if c := tokens.Give(InFlight{Warp: 5}); c != a {
		t.Errorf("the next token is %d, want %d again", c, a)
	}
	if f, ok := tokens.Take(b); !ok || f.Copy != 2 {
		t.Errorf("the second: %+v, %v", f, ok)
	}
}

// Warps wait for the last copy of their own mbarrier, and go on in order.
func TestWarpsWaitForTheLastCopyOfTheirBarrier(t *testing.T) {
	var c Copies
	if c.Await(1, 64) {
		t.Error("a warp waits for no copy")
	}
	first, other, last := c.Start(Copy{Barrier: 64}), c.Start(Copy{Barrier: 72}), c.Start(Copy{Barrier: 64})
	if first != 1 || other != 2 || last != 3 {
		t.Errorf("copies have numbers %d, %d and %d, from 1 on", first, other, last)
	}
	if !c.Await(1, 64) || !c.Await(2, 72) || !c.Await(0, 64) || c.Await(3, 80) {
		t.Error("who waits is not who looks at the barrier of a copy")
	}
	var resumed []int
	finish := func(n uint32) []int {
		resumed = nil
		c.Finish(n, func(w int) { resumed = append(resumed, w) })
		return resumed
	}
	if got := finish(first); got != nil {
		t.Errorf("the first of two copies lets %v go", got)
	}
	if got := finish(last); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("the last copy lets %v go, want 1 and 0", got)
	}
	if got := finish(other); !slices.Equal(got, []int{2}) {
		t.Errorf("the other barrier's copy lets %v go, want 2", got)
	}
	c.Start(Copy{Barrier: 64})
	c.Await(1, 64)
	c.Reset()
	if c.Await(1, 64) || c.Start(Copy{Barrier: 64}) == 0 {
		t.Error("a new thread block inherits a copy, or its first has number 0")
	}
}

// Loads in flight have different tokens, in whatever order earlier ones have ended.
func TestTokensOfLoadsInFlightDiffer(t *testing.T) {
	tokens := NewTokens()
	var flying []uint32
	for round := range 6 {
		for range 4 {
			token := tokens.Give(InFlight{})
			if slices.Contains(flying, token) {
				t.Fatalf("round %d: token %d names two loads of %d", round, token, flying)
			}
			flying = append(flying, token)
		}
		for range 3 {
			i := round % len(flying)
			if _, ok := tokens.Take(flying[i]); !ok {
				t.Fatalf("round %d: token %d names no load", round, flying[i])
			}
			flying = slices.Delete(flying, i, i+1)
		}
	}
	if tokens.Live() != len(flying) || len(tokens.entries) > 10 {
		t.Errorf("%d live of %d places, want %d of no more than were in flight at once", tokens.Live(), len(tokens.entries), len(flying))
	}
}
