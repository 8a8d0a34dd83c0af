// SPDX-License-Identifier: Apache-2.0

package network

import "fmt"

// Butterfly is a radix-ary stages-fly (Dally and Towles, Principles and Practices of
// Interconnection Networks, chapter 4). It has radix^stages terminals on either side of
// stages columns of radix x radix routers. inputs and outputs name the terminals of the
// ends. A channel between two columns has the number of a terminal; column s joins
// those that differ in digit stages-1-s only, and replaces it by the destination's
// (destination-tag routing). There is one path for each pair, and no cycle at all.
func Butterfly(radix, stages int, inputs, outputs []int) *Topology {
	return butterfly{radix: radix, stages: stages}.topology(inputs, outputs)
}

// MeetingButterfly is a Butterfly whose routers are ends, too, behind those of inputs and
// outputs, each with a port of its own. A packet may leave at a router on its way, and one may
// begin there. mirrored is the network of answers to the other: column s replaces digit s, so
// that a packet goes back through the routers that one has come by. Routers are numbered as in
// the network that is not mirrored.
func MeetingButterfly(radix, stages int, inputs, outputs []int, mirrored bool) *Topology {
	return butterfly{radix: radix, stages: stages, mirrored: mirrored, own: true}.topology(inputs, outputs)
}

// ButterflyRouters is the number of routers of a butterfly.
func ButterflyRouters(radix, stages int) int { return stages * power(radix, stages-1) }

// ButterflyWay lists the routers on the way from one terminal to another.
func ButterflyWay(radix, stages, from, to int) []int {
	b := butterfly{radix: radix, stages: stages}
	way := make([]int, stages)
	for stage := range way {
		// What the columns before have replaced is the destination's.
		low := power(radix, stages-stage)
		way[stage] = b.at(stage, to/low*low+from%low).Router
	}
	return way
}

// butterfly is the shape of one.
type butterfly struct {
	radix, stages int
	mirrored      bool // digits are replaced from the lowest on
	own           bool // routers have a port of their own
}

// digit is the value of the place of the digit that a column replaces.
func (b butterfly) digit(stage int) int {
	if b.mirrored {
		return power(b.radix, stage)
	}
	return power(b.radix, b.stages-1-stage)
}

// at is where a channel comes into a column, or goes out.
func (b butterfly) at(stage, channel int) Terminal {
	place := b.digit(stage)
	return Terminal{stage*power(b.radix, b.stages-1) + channel/(place*b.radix)*place + channel%place, channel / place % b.radix}
}

// router is where the router of a number stands, and one of its channels. A network that is mirrored
// has the columns the other way round.
func (b butterfly) router(number int) (stage, router, channel int) {
	column := power(b.radix, b.stages-1)
	stage = number / column
	if b.mirrored {
		stage = b.stages - 1 - stage
	}
	in, place := number%column, b.digit(stage)
	return stage, stage*column + in, in/place*place*b.radix + in%place
}

func (b butterfly) topology(inputs, outputs []int) *Topology {
	column := power(b.radix, b.stages-1)
	ports, ends := b.radix, 0
	if b.own {
		ports, ends = b.radix+1, b.stages*column
	}
	t := newTopology(b.stages*column, ports, make([]Terminal, len(inputs)+ends), make([]Terminal, len(outputs)+ends))
	for i, channel := range inputs {
		t.Inputs[i] = b.at(0, channel)
	}
	for o, channel := range outputs {
		t.Outputs[o] = b.at(b.stages-1, channel)
	}
	for stage := range b.stages {
		for channel := range column * b.radix {
			from := b.at(stage, channel)
			if stage < b.stages-1 {
				t.wire(from, b.at(stage+1, channel))
			}
			for o, to := range outputs {
				t.route[from.Router*len(t.Outputs)+o] = uint8(b.at(stage, to).Port)
			}
		}
	}
	for n := range ends {
		last, router, channel := b.router(n)
		t.Inputs[len(inputs)+n], t.Outputs[len(outputs)+n] = Terminal{router, b.radix}, Terminal{router, b.radix}
		for r := range t.Routers {
			port := b.radix
			if r != router {
				port = b.at(min(r/column, last), channel).Port
			}
			t.route[r*len(t.Outputs)+len(outputs)+n] = uint8(port)
		}
	}
	t.describe = func(r int) string { return fmt.Sprintf("router %d (stage %d, %d)", r, r/column, r%column) }
	t.port = func(p int) string { return fmt.Sprintf("port %d", p) }
	return t
}

func power(base, exponent int) int {
	n := 1
	for range exponent {
		n *= base
	}
	return n
}
