// SPDX-License-Identifier: Apache-2.0

package network

import "fmt"

// Butterfly is a radix-ary stages-fly (Dally and Towles, Principles and
// Practices of Interconnection Networks, chapter 4): radix^stages terminals on
// either side of stages columns of radix x radix routers. inputs and outputs
// name the terminals of the ends. A channel between two columns has the number
// of a terminal; column s joins those that differ in digit stages-1-s only, and
// replaces it by the destination's (destination-tag routing). There is one path
// for each pair, and no cycle at all.
func Butterfly(radix, stages int, inputs, outputs []int) *Topology {
	column := power(radix, stages-1)
	at := func(stage, channel int) Terminal {
		place := power(radix, stages-1-stage)
		return Terminal{stage*column + channel/(place*radix)*place + channel%place, channel / place % radix}
	}
	t := newTopology(stages*column, radix, make([]Terminal, len(inputs)), make([]Terminal, len(outputs)))
	for i, channel := range inputs {
		t.Inputs[i] = at(0, channel)
	}
	for o, channel := range outputs {
		t.Outputs[o] = at(stages-1, channel)
	}
	for stage := range stages {
		for channel := range column * radix {
			from := at(stage, channel)
			if stage < stages-1 {
				t.wire(from, at(stage+1, channel))
			}
			for o, to := range outputs {
				t.route[from.Router*len(outputs)+o] = uint8(at(stage, to).Port)
			}
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
