// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
)

// jam is an offloader in front of a network that takes nothing: odd accesses would be
// answered there, even ones stay.
type jam struct {
	served []uint32
	asked  int
}

func (j *jam) AtSlice(clock.Time, int, uint32) {}
func (j *jam) AtSM(clock.Cycle, int, uint32)   {}
func (j *jam) Arrived(seam.End, bool)          {}
func (j *jam) Replies(_ int, id uint32) bool   { return id%2 == 1 }
func (j *jam) Served(_ clock.Time, _ int, id uint32) bool {
	if j.Replies(0, id) {
		j.asked++
		return false
	}
	j.served = append(j.served, id)
	return true
}

// TestWhatStaysAtASliceDoesNotWaitForTheNetwork: neither a hit, nor a miss, nor a
// store of the unit next to L2 waits behind answers that find the network full. A
// slice that put all answers into one queue made a service queue wait for the very
// replies that it saves.
func TestWhatStaysAtASliceDoesNotWaitForTheNetwork(t *testing.T) {
	r := newRig(t, machine(t, "mesh56", func(m *arch.Machine) { m.L2.InputQueue = 4; m.L2.Slice.LatencyCycles = 8 }))
	j := &jam{}
	if err := r.system.Invite(j, seam.NoPeers); err != nil {
		t.Fatal(err)
	}
	whole := cache.Range(0, 128)
	line := func(n int) uint64 { return uint64(n) * 128 }
	id := uint32(1)
	for n := range 40 { // more than there is room for, on lines of their own and on shared ones
		r.system.Access(0, 0, line(n/2), whole, false, seam.InTurn, id)
		id += 2
	}
	for range 2000 {
		r.tick(r.now + 1)
	}
	if j.asked == 0 || len(j.served) != 0 {
		t.Fatalf("the network was tried %d times, and %d accesses stayed", j.asked, len(j.served))
	}
	at := r.clocks.Core.Start(r.now)
	want := []uint32{0, 2, 4, 6}
	r.system.Access(at, 0, line(0), whole, false, seam.InTurn, 0)   // a hit
	r.system.Access(at, 0, line(500), whole, false, seam.InTurn, 2) // a miss
	r.system.Access(at, 0, line(501), whole, true, seam.InTurn, 4)  // a store
	r.system.Access(at, 0, line(0), whole, false, seam.First, 6)    // the unit's buffer
	for range 2000 {
		r.tick(r.now + 1)
	}
	if len(j.served) != len(want) {
		t.Fatalf("of %v these were served: %v\n%v", want, j.served, r.system.Describe())
	}
	if got := r.global[counters.L2Write]; got != 1 {
		t.Errorf("%d writes of L2, want 1", got)
	}
}

// opening is an offloader whose network opens after a time.
type opening struct {
	jam
	open bool
}

func (o *opening) Served(at clock.Time, slice int, id uint32) bool {
	if o.open {
		o.served = append(o.served, id)
		return true
	}
	return o.jam.Served(at, slice, id)
}

// TestReadersOfASectorThatCameToAFullSliceAreAllAnswered once there is room: of a
// line that the unit and the network wait for, each hears once.
func TestReadersOfASectorThatCameToAFullSliceAreAllAnswered(t *testing.T) {
	r := newRig(t, machine(t, "mesh56", func(m *arch.Machine) { m.L2.InputQueue = 2; m.L2.Slice.LatencyCycles = 4; m.L2.Slice.MSHRMerges = 4 }))
	o := &opening{}
	if err := r.system.Invite(o, seam.NoPeers); err != nil {
		t.Fatal(err)
	}
	for n := range uint32(60) { // two readers for each line, of either kind
		r.system.Access(0, 0, uint64(n/4)*128, cache.Range(0, 128), false, seam.InTurn, n)
	}
	for range 3000 {
		r.tick(r.now + 1)
	}
	if len(o.served) == 0 {
		t.Error("nothing was served while the network was full")
	}
	o.open = true
	r.system.wakeSlice(r.system.slices[0])
	r.drain()
	seen := map[uint32]int{}
	for _, id := range o.served {
		seen[id]++
	}
	for n := range uint32(60) {
		if seen[n] != 1 {
			t.Errorf("access %d was answered %d times", n, seen[n])
		}
	}
}

// mail is an offloader that notes the messages that arrive.
type mail struct {
	jam
	slices, sms [][2]int // end and number
}

func (m *mail) AtSlice(_ clock.Time, slice int, id uint32) {
	m.slices = append(m.slices, [2]int{slice, int(id)})
}
func (m *mail) AtSM(_ clock.Cycle, sm int, id uint32) { m.sms = append(m.sms, [2]int{sm, int(id)}) }

// What an offloader sends through the networks arrives where it goes to, and is counted as any packet is.
func TestMessagesOfAnOffloaderArriveAndAreCounted(t *testing.T) {
	r := newRig(t, machine(t, "mesh56", nil))
	m := &mail{}
	if err := r.system.Invite(m, seam.NoPeers); err != nil {
		t.Fatal(err)
	}
	s := r.system
	for n, flits := range []uint16{3, 1, 5} {
		r.tick(r.now + 100)
		at := r.clocks.Core.Start(r.now)
		if !s.SendRequest(at, 1, s.Slice(2), uint32(n), flits) || !s.SendReply(at, s.Slice(2), 1, uint32(n), flits+1) {
			t.Fatal("an empty network refuses a message")
		}
	}
	r.drain()
	for id, want := range map[counters.ID]uint64{
		counters.RequestPackets: 3, counters.RequestFlits: 3 + 1 + 5, counters.ReplyPackets: 3, counters.ReplyFlits: 4 + 2 + 6,
	} {
		if got := r.global[id]; got != want {
			t.Errorf("%s is %d, want %d", counters.Declared(id).Name, got, want)
		}
	}
	if want := [][2]int{{2, 0}, {2, 1}, {2, 2}}; !slices.Equal(m.slices, want) {
		t.Errorf("slices have the messages %v, want %v", m.slices, want)
	}
	if want := [][2]int{{1, 0}, {1, 1}, {1, 2}}; !slices.Equal(m.sms, want) {
		t.Errorf("SMs have the messages %v, want %v", m.sms, want)
	}
}
