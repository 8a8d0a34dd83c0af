// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

// gatherPlan is of a kernel that executes two loads per visit.
func gatherPlan() *Plan {
	load := Instruction{Memory: true, LaneBytes: 4}
	return NewPlan("gathers", []Instruction{load, load, {}}, []Block{{0, 2, 0}, {2, 1, 0}})
}

const allLanes = ^uint32(0)

// gatherChunk is a chunk of that kernel with what each lane of the two loads is given.
func gatherChunk(warps, visits int, address func(warp, visit, load, lane int) uint64) *Raw {
	c := new(Raw)
	c.Reset(gatherPlan(), 0, warps)
	c.Blocks = []uint64{0}
	path, masks := make([]uint32, visits, visits+1), make([]uint32, visits+1)
	path = append(path, 1)
	for i := range masks {
		masks[i] = allLanes
	}
	for warp := range warps {
		n, _ := c.Paths.Intern(path)
		m, _ := c.Masks.Intern(masks)
		g, _ := c.guards.Intern(nil)
		c.WarpPath, c.warpMasks, c.warpGuards = append(c.WarpPath, uint32(n)), append(c.warpMasks, uint32(m)), append(c.warpGuards, uint32(g))
		for visit := range visits {
			for load := range 2 {
				var pattern lanecode.Pattern
				base := address(warp, visit, load, 0)
				for l := 1; l < lanecode.WarpLanes; l++ {
					pattern[l] = address(warp, visit, load, l) - base
				}
				c.accesses = append(c.accesses, lanecode.Access{Base: base, Lanes: c.lanes.Add(&pattern), Mask: allLanes})
				c.Sets++
			}
		}
	}
	return c
}

// randomGather is one of a small range of words for every lane of a load.
func randomGather(seed uint64, words int) func(_, _, _, _ int) uint64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	return func(_, _, _, _ int) uint64 { return 4 * uint64(rng.IntN(words)) }
}

// leaderChunk encodes a chunk and returns what later ones may follow.
func leaderChunk(c *Raw) *precedents {
	c.Precedents = newPrecedents(len(c.plan.Memory))
	new(Encoder).Encode(nil, c)
	return c.Precedents
}

func TestStreamsFollowThoseThatAreAlike(t *testing.T) {
	e := new(Encoder)
	e.Encode(nil, gatherChunk(40, 20, randomGather(1, 9000)))
	if p := e.known.follows; p == nil || p.memory != 0 {
		t.Errorf("the second load is like the first, but follows %+v", p)
	}
	e.Encode(nil, gatherChunk(40, 20, func(warp, visit, load, lane int) uint64 {
		if load == 0 {
			return 4 * uint64(warp*7919+visit*104729+lane*lane*31) % 65536
		}
		return uint64(1<<20 + 4000*warp + 40*lane*visit)
	}))
	if p := e.known.follows; p != nil {
		t.Errorf("the second load is unlike the first, but follows %+v", p)
	}
}

func TestChunksFollowTheirLeader(t *testing.T) {
	leader := leaderChunk(gatherChunk(40, 20, randomGather(1, 9000)))
	like := gatherChunk(40, 20, randomGather(2, 9000))
	like.Earlier = leader
	e := new(Encoder)
	e.Encode(nil, like)
	if p := e.known.follows; p == nil || p != &leader.streams[1] {
		t.Errorf("a chunk that is like its leader follows %+v", p)
	}
	if e.known.trials[1].lanes > 0 {
		t.Error("more than one trial was made")
	}
}

// A chunk whose data are others than its leader's is encoded as if it had none.
func TestChunksThatDifferFromTheirLeaderGetTheirOwnChoices(t *testing.T) {
	others := map[string]func(warp, visit, load, lane int) uint64{
		"smaller range": randomGather(3, 3000),
		"larger range":  randomGather(4, 90000),
		"lanes near each other": func(warp, visit, load, lane int) uint64 {
			return uint64(1000*warp + 300*visit + 4*lane + 4*(lane*lane*(visit+1+load)/7%3))
		},
		"second near first": func(warp, visit, load, lane int) uint64 {
			return uint64(4*((warp*7919+visit*104729+lane*lane*lane*31)%9000)) + uint64(load)<<20
		},
	}
	for name, address := range others {
		alone := gatherChunk(40, 20, address)
		want := new(Encoder).Encode(nil, alone)
		alone.Earlier = leaderChunk(gatherChunk(40, 20, randomGather(1, 9000)))
		if got := new(Encoder).Encode(nil, alone); !bytes.Equal(want, got) {
			t.Errorf("%s: %d bytes, without a leader %d", name, len(got), len(want))
		}
	}
}

func TestFollowersWaitForTheirLeader(t *testing.T) {
	p := newPrecedents(2)
	got := make(chan *precedent)
	go func() { got <- p.at(1) }()
	p.add(&precedent{runs: 1})
	select {
	case <-got:
		t.Fatal("the second stream was not known yet")
	case <-time.After(20 * time.Millisecond):
	}
	p.add(&precedent{runs: 2})
	if s := <-got; s.runs != 2 {
		t.Errorf("got the precedent of %d runs", s.runs)
	}
}

func TestLeadersAreChunksMuchLargerThanTheLast(t *testing.T) {
	l, plan := Leaders{}, gatherPlan()
	var last *precedents
	for i, x := range []struct {
		kernel, sets   int
		follows, leads bool
	}{{0, 0, false, false}, {0, 10, false, true}, {0, 40, true, false}, {1, 40, false, true}, {0, 41, true, true}, {0, 5, true, false}} {
		c := &Raw{plan: plan, Sets: x.sets}
		l.AddChunk(c, x.kernel)
		if (c.Earlier != nil) != x.follows || (c.Precedents != nil) != x.leads {
			t.Errorf("chunk %d: follows %v, leads %v", i, c.Earlier != nil, c.Precedents != nil)
		}
		if x.kernel == 0 && x.follows && c.Earlier != last {
			t.Errorf("chunk %d follows another one than the last leader", i)
		}
		if x.kernel == 0 && x.leads {
			last = c.Precedents
		}
	}
}

// Which of two forms a stream has is taken over only where one was clearly smaller.
func TestFormsAreTakenOverWhereTheyWereClear(t *testing.T) {
	p := densePrecedent{clear: true, won: true, executions: 100, lane: 0.4}
	if !p.fits(120, 0.45) {
		t.Error("a stream that is like the precedent does not fit")
	}
	if p.fits(300, 0.4) || p.fits(30, 0.4) || p.fits(100, 0.8) {
		t.Error("a stream fits that is unlike the precedent")
	}
	if p.clear = false; p.fits(100, 0.4) {
		t.Error("a stream fits a precedent that was not clear")
	}
}
