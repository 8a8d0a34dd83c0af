// SPDX-License-Identifier: Apache-2.0

package network

import (
	"slices"
	"testing"
)

// A packet reaches the routers on the way to its terminal and goes on from each; the mirrored
// network brings an answer back through the same ones. The way is walked link by link.
func TestRoutersOfAButterflyAreEndsOfTheWaysThroughThem(t *testing.T) {
	const radix, stages = 3, 3
	all := everywhere(27)
	forth, back := MeetingButterfly(radix, stages, all, all, false), MeetingButterfly(radix, stages, all, all, true)
	walk := func(topology *Topology, input, output int) []int {
		at, way := topology.Inputs[input].Router, []int(nil)
		for {
			way = append(way, at)
			port := int(topology.route[at*len(topology.Outputs)+output])
			if end := topology.Outputs[output]; at == end.Router && port == end.Port {
				return way
			}
			to := topology.links[at*topology.Ports+port]
			if to == unwired || len(way) > stages {
				return nil
			}
			at = int(to) / topology.Ports
		}
	}
	column := ButterflyRouters(radix, stages) / stages
	there := func(router int) int { return (stages-1-router/column)*column + router%column } // the number of the mirrored one
	for from := range 27 {
		for to := range 27 {
			way := walk(forth, from, to)
			if !slices.Equal(way, ButterflyWay(radix, stages, from, to)) || len(way) != stages {
				t.Fatalf("%d to %d: way %v, said to be %v", from, to, way, ButterflyWay(radix, stages, from, to))
			}
			answer := walk(back, to, from)
			for i, router := range way {
				if there(answer[stages-1-i]) != router {
					t.Fatalf("%d to %d: way %v, the answer comes by %v", from, to, way, answer)
				}
				if got := walk(forth, from, 27+router); !slices.Equal(got, way[:i+1]) {
					t.Fatalf("%d to router %d: way %v, want %v", from, router, got, way[:i+1])
				}
				if got := walk(forth, 27+router, to); !slices.Equal(got, way[i:]) {
					t.Fatalf("router %d to %d: way %v, want %v", router, to, got, way[i:])
				}
				if got := walk(back, to, 27+router); !slices.Equal(got, answer[:stages-i]) {
					t.Fatalf("answer of %d to router %d: way %v, want %v", to, router, got, answer[:stages-i])
				}
				if got := walk(back, 27+router, from); !slices.Equal(got, answer[stages-1-i:]) {
					t.Fatalf("answer of router %d to %d: way %v, want %v", router, from, got, answer[stages-1-i:])
				}
			}
		}
	}
}
