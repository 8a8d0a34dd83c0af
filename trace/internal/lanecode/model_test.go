// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/rand/v2"
	"testing"
)

// What a model makes of units, the same model makes into units again, for all lanes, the first ones, or any.
func TestUnitsOfEveryModelComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 2))
	for _, kind := range []int{ModelUniform, ModelLaneBefore, ModelLanesMean, ModelSameLane, ModelSameLaneMean, ModelLaneNumber, ModelSuccessor} {
		for range 20 {
			var to, from Model
			to.Start(kind, 1000, nil, 0, 0)
			from.Start(kind, 1000, nil, 0, 0)
			warp, wide := 0, uint(r.IntN(64))
			for range 40 {
				if r.IntN(4) == 0 {
					warp++ // warps follow each other
				}
				mask := []uint32{AllWarpLanes, 1<<(1+r.IntN(31)) - 1, r.Uint32() | 1<<r.IntN(32)}[r.IntN(3)]
				var units [WarpLanes]uint64
				for l := range units {
					units[l] = r.Uint64() >> wide
				}
				v := units
				to.Codes(warp, mask, &v)
				from.Units(warp, mask, &v)
				for l := range v {
					if mask>>l&1 == 1 && v[l] != units[l] {
						t.Fatalf("model %d: lane %d of %08x has %#x, and back %#x", kind, l, mask, units[l], v[l])
					}
				}
			}
		}
	}
}

// Lanes that have again what each had last in their warp, or what the lane before has, cost nothing: their codes are zero.
func TestWhatAModelExpectsHasTheCodeZero(t *testing.T) {
	for _, mask := range []uint32{AllWarpLanes, 0xff, 0xf0f00a05} {
		var m Model
		m.Start(ModelSameLane, 1000, nil, 0, 0)
		var units [WarpLanes]uint64
		for l := range units {
			units[l] = uint64(l*l) * 1000
		}
		for n := range 3 {
			v := units
			m.Codes(0, mask, &v)
			for l := range v {
				if n > 0 && mask>>l&1 == 1 && v[l] != 0 {
					t.Errorf("lanes %08x, execution %d: lane %d has the code %d", mask, n, l, v[l])
				}
			}
		}
		m.Start(ModelLaneBefore, 1000, nil, 0, 0)
		for n := range 2 {
			var v [WarpLanes]uint64
			for l := range v {
				v[l] = 77
			}
			m.Codes(0, mask, &v)
			for l := range v {
				if first := n == 0 && mask&(1<<l-1) == 0; mask>>l&1 == 1 && (v[l] != 0) != first {
					t.Errorf("lanes %08x, execution %d: lane %d has the code %d behind the same", mask, n, l, v[l])
				}
			}
		}
	}
}

// What each model predicts has the code zero, however warps come and go: its lane's mean in any warp, what followed before,
// what the companion had with it, or the companion's own distance. Other units have another code.
func TestPredictionsOfHistoryHaveTheCodeZero(t *testing.T) {
	var companion Watch
	for _, kind := range []int{ModelSameLaneMean, ModelLaneNumber, ModelSuccessor, ModelMap, ModelCompanion, ModelNearCompanion, ModelLanesMean} {
		for _, mask := range []uint32{AllWarpLanes, 0xff, 0xf0f00a05} {
			for _, known := range []uint32{AllWarpLanes, mask} {
				var m Model
				m.Start(kind, 1000, &companion, 3, 0)
				for n := range 30 {
					warp := n / 10
					var units, addresses [WarpLanes]uint64
					for l := range units {
						switch kind {
						case ModelLanesMean:
							if units[l] = 1000; n == 0 { // a mean comes down all the way, and up to a quarter of a unit
								units[l] = 2000
							}
						case ModelSuccessor, ModelMap: // four in turn, and the same after each
							units[l] = uint64(100*l + 7*(n%4))
						case ModelCompanion, ModelNearCompanion:
							units[l] = uint64(n*n*1000 + l*l*50)
						default:
							units[l] = uint64(900 + 100*l)
						}
						addresses[l] = (units[l] + 4096) << 3
					}
					companion.Note(warp, known, &addresses)
					v := units
					if m.Codes(warp, mask, &v); n%10 < 5 && kind != ModelLaneNumber || n < 10 && kind == ModelLanesMean {
						continue // nothing has been learnt in this warp yet
					}
					for l := range v {
						if mask>>l&1 == 1 && (v[l] != 0) != (n == 0) {
							t.Fatalf("model %d, lanes %08x, execution %d: lane %d has the code %d", kind, mask, n, l, v[l])
						}
					}
				}
				v := [WarpLanes]uint64{}
				for l := range v {
					v[l] = 1 << 30
				}
				if m.Codes(2, mask, &v); v[Lane(mask)] == 0 {
					t.Errorf("model %d, lanes %08x: what was never there has the code 0", kind, mask)
				}
			}
		}
	}
}
