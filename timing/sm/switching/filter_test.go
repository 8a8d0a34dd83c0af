// SPDX-License-Identifier: Apache-2.0

package switching

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
)

// TestTheFilterKeepsTheLinesUsedLast, against a list that is searched and shifted.
func TestTheFilterKeepsTheLinesUsedLast(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	var f Filter
	var twin []uint64
	hits := 0
	for range 20_000 {
		line := r.Uint64N(260)
		at := slices.Index(twin, line)
		if found := f.use(line); found != (at >= 0) {
			t.Fatalf("line %d found: %v", line, found)
		}
		if at >= 0 {
			hits++
			twin = slices.Delete(twin, at, at+1)
		}
		twin = append(twin, line)
		twin = twin[max(0, len(twin)-filterLines):]
	}
	if hits < 12_000 || hits > 18_000 { // 192 of 260
		t.Errorf("%d hits", hits)
	}
}

// TestTheFilterTellsMemoriesApart: spaces, thread blocks' shared memories, and threads'
// local ones.
func TestTheFilterTellsMemoriesApart(t *testing.T) {
	var f Filter
	look := func(space trace.Space, owner, mask uint32) bool {
		addresses := [trace.WarpSize]uint64{64, 64}
		return f.Misses(&addresses, space, mask, owner)
	}
	for i, c := range []struct {
		space       trace.Space
		owner, mask uint32
		want        bool
	}{
		{trace.SpaceGlobal, 1, 3, true}, {trace.SpaceGlobal, 2, 3, false}, {trace.SpaceShared, 1, 3, true}, {trace.SpaceShared, 2, 3, true}, {trace.SpaceShared, 1, 1, false},
		{trace.SpaceLocal, 1, 1, true}, {trace.SpaceLocal, 1, 2, true}, {trace.SpaceLocal, 1, 3, false}, {trace.SpaceLocal, 2, 3, true},
		{trace.SpaceParam, 1, 3, false}, {trace.SpaceConst, 1, 3, false}, {trace.SpaceTexture, 1, 3, false},
	} {
		if got := look(c.space, c.owner, c.mask); got != c.want {
			t.Errorf("look-up %d, %v of %d by lanes %x: missing %v", i, c.space, c.owner, c.mask, got)
		}
	}
}

// A line is 32 bytes, in every memory: what lies in one comes with any of it, what lies behind does not.
func TestALineOfTheFilterHas32Bytes(t *testing.T) {
	for _, space := range []trace.Space{trace.SpaceGlobal, trace.SpaceShared, trace.SpaceLocal} {
		var f Filter
		for i, c := range []struct {
			address uint64
			want    bool
		}{{96, true}, {127, false}, {128, true}, {64, true}, {95, false}, {159, false}, {96 << 8, true}} {
			if got := f.Misses(&[trace.WarpSize]uint64{c.address}, space, 1, 1); got != c.want {
				t.Errorf("%v, access %d of %d: missing %v", space, i, c.address, got)
			}
		}
	}
}
