// SPDX-License-Identifier: Apache-2.0

package network

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// slowCrossbar is the slow obvious twin of Crossbar: it visits every port in every
// cycle and keeps no sets of those that have something to do.
type slowCrossbar struct {
	c                              Config
	inputs                         [][]Packet
	outputs                        [][]flight
	inputFree, outputFree          []int64
	next                           []int // by output: the input to consider first
	injection, traversal, ejection int64
}

func newSlowCrossbar(c Config) *slowCrossbar {
	return &slowCrossbar{
		c: c, inputs: make([][]Packet, c.Inputs), outputs: make([][]flight, c.Outputs),
		inputFree: make([]int64, c.Inputs), outputFree: make([]int64, c.Outputs), next: make([]int, c.Outputs),
	}
}

func (s *slowCrossbar) cycle(now int64) {
	for o := range s.outputs {
		if s.outputFree[o] <= now && len(s.outputs[o]) < s.c.OutputQueue {
			s.grant(now, o)
		}
	}
	for i := range s.inputs {
		s.injection += int64(len(s.inputs[i]))
	}
	for o := range s.outputs {
		for _, f := range s.outputs[o] {
			if f.arrival > now {
				s.traversal++
			}
		}
	}
}

// grant moves the head of the first input in turn that is free and has one for the
// output.
func (s *slowCrossbar) grant(now int64, o int) {
	for k := range s.c.Inputs {
		i := (s.next[o] + k) % s.c.Inputs
		if len(s.inputs[i]) == 0 || s.inputFree[i] > now || int(s.inputs[i][0].To) != o {
			continue
		}
		p := s.inputs[i][0]
		s.inputs[i] = s.inputs[i][1:]
		s.inputFree[i], s.outputFree[o], s.next[o] = now+int64(p.Flits), now+int64(p.Flits), i+1
		s.outputs[o] = append(s.outputs[o], flight{packet: p, arrival: now + int64(p.Flits) - 1 + int64(s.c.LatencyCycles)})
		return
	}
}

// head is the packet that has arrived at an output.
func (s *slowCrossbar) head(now int64, o int) (Packet, bool) {
	if len(s.outputs[o]) == 0 || s.outputs[o][0].arrival > now {
		return Packet{}, false
	}
	return s.outputs[o][0].packet, true
}

func (s *slowCrossbar) pop(o int, now int64) {
	s.ejection += now - s.outputs[o][0].arrival
	s.outputs[o] = s.outputs[o][1:]
}

// randomCrossbar is one whose sets of ports are of a word, or of several.
func randomCrossbar(rng *rand.Rand, seed uint64) Config {
	ports, latency := 20, 12
	if seed%3 == 0 {
		ports = 150
	}
	if seed%4 == 0 {
		latency = 200 // the calendar is of several words, or has to grow
	}
	return Config{
		Inputs: 1 + rng.IntN(ports), Outputs: 1 + rng.IntN(ports), LatencyCycles: 1 + rng.IntN(latency),
		InputQueue: 1 + rng.IntN(6), OutputQueue: 1 + rng.IntN(6),
	}
}

// TestCrossbarIsItsSlowTwin runs random traffic through both. Every queue accepts at
// the same time, every packet arrives in the same cycle, and the times agree, though
// Crossbar is called only in the cycles that it asks for.
func TestCrossbarIsItsSlowTwin(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 17))
		c := randomCrossbar(rng, seed)
		set := new(counters.Set)
		fast, slow := NewCrossbar(c, testCounts(set, 1)[0], nil), newSlowCrossbar(c)
		longest := []int{1, 5, 100}[rng.IntN(3)]
		due, sent, got := Never, 0, 0
		const total = 600
		for now := int64(1); got < total; now++ {
			slow.cycle(now)
			if due <= now {
				due = fast.Cycle(now)
			}
			for o := range c.Outputs {
				p, ok := fast.Head(o)
				if q, is := slow.head(now, o); ok != is || p != q {
					t.Fatalf("seed %d, cycle %d, output %d: %+v %v, the twin has %+v %v", seed, now, o, p, ok, q, is)
				}
				if ok && rng.IntN(3) == 0 {
					fast.Pop(o, now+1)
					slow.pop(o, now+1)
					due = now + 1
					got++
				}
			}
			for range rng.IntN(1 + c.Inputs) {
				i := rng.IntN(c.Inputs)
				can := fast.CanSend(i)
				if can != (len(slow.inputs[i]) < c.InputQueue) {
					t.Fatalf("seed %d, cycle %d: input %d takes a packet: %v, not the twin", seed, now, i, can)
				}
				if can && sent < total {
					p := Packet{ID: uint32(sent), To: uint16(rng.IntN(c.Outputs)), Flits: uint16(1 + rng.IntN(longest))}
					fast.Send(i, p)
					slow.inputs[i] = append(slow.inputs[i], p)
					due = now + 1
					sent++
				}
			}
			if now > 100000 {
				t.Fatalf("seed %d: %d of %d packets arrived", seed, got, total)
			}
		}
		for name, v := range map[string][2]int64{
			"injection": {int64(set[counters.RequestInjectionCycles]), slow.injection},
			"traversal": {int64(set[counters.RequestTraversalCycles]), slow.traversal},
			"ejection":  {int64(set[counters.RequestEjectionCycles]), slow.ejection},
		} {
			if v[0] != v[1] {
				t.Errorf("seed %d: %s: %d, the twin counts %d", seed, name, v[0], v[1])
			}
		}
	}
}
