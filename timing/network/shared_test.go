// SPDX-License-Identifier: Apache-2.0

package network

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// Requests and replies share a mesh. Each part has inputs and outputs of its own from 0 on, and what is in it alone.
func TestPartsOfAMeshAreNetworksOfTheirOwn(t *testing.T) {
	const cores, slices = 3, 5
	places := everywhere(cores + slices)
	topology := Mesh(2, 4, true, places, append(places[cores:cores+slices:cores+slices], places[:cores]...))
	c := plain
	c.Classes, c.ClassOf = 2, []uint8{0, 0, 0, 0, 0, 1, 1, 1}
	whole := fabric(topology, c, new(counters.Set), nil)
	for _, x := range []struct {
		part, other     *Part
		inputs, outputs int
	}{
		{NewPart(whole, 0, 0, 0), NewPart(whole, 1, cores, slices), cores, slices},
		{NewPart(whole, 1, cores, slices), NewPart(whole, 0, 0, 0), slices, cores},
	} {
		for i := range x.inputs {
			for o := range x.outputs {
				now := int64(0)
				for n := range c.InputQueue { // the queue is full with so many, until one has left
					if !x.part.CanSend(i) {
						t.Fatalf("no place for packet %d of %d", n, c.InputQueue)
					}
					x.part.Send(i, Packet{ID: uint32(n), To: uint16(o), Flits: 2})
				}
				if x.part.CanSend(i) || !x.other.CanSend(0) {
					t.Fatal("a full queue takes a packet, or an empty one does not")
				}
				for got := 0; got < c.InputQueue; now++ {
					if n, others := x.part.InFlight(), x.other.InFlight(); n != c.InputQueue-got || others != 0 {
						t.Fatalf("%d packets are on their way, and %d of the other part, want %d and none", n, others, c.InputQueue-got)
					}
					x.part.Cycle(now)
					for at := range x.outputs {
						p, ok := x.part.Head(at)
						if !ok {
							continue
						}
						if at != o || int(p.To) != o || p.ID != uint32(got) {
							t.Fatalf("packet %d from %d to %d is at output %d: %+v", got, i, o, at, p)
						}
						x.part.Pop(at, now)
						got++
					}
					if now > 1000 {
						t.Fatalf("%d packets from %d to %d have come", got, i, o)
					}
				}
			}
		}
	}
}

// A wheel has a slot for each cycle that it reaches, and one for the present.
func TestAWheelReachesAsFarAsItSays(t *testing.T) {
	for farthest := 1; farthest < 70; farthest++ {
		w := newWheel(farthest, 1, 1)
		seen := map[*slot]bool{}
		for cycle := range int64(farthest) + 1 {
			seen[w.at(1000+cycle)] = true
		}
		if len(seen) != farthest+1 {
			t.Errorf("%d slots for %d cycles", len(seen), farthest+1)
		}
	}
}
