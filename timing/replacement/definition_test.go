// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// defined is a policy as its definition tells it, for one set, on lists and trees.
type defined interface {
	insert(way int)
	use(way int)
	victim(candidates []int) int
}

// inOrder keeps the ways in the order of their insertion, or of their last use.
type inOrder struct {
	ways   []int
	onUses bool
}

func (o *inOrder) insert(way int) {
	if i := slices.Index(o.ways, way); i >= 0 {
		o.ways = slices.Delete(o.ways, i, i+1)
	}
	o.ways = append(o.ways, way)
}

func (o *inOrder) use(way int) {
	if o.onUses {
		o.insert(way)
	}
}

func (o *inOrder) victim(candidates []int) int {
	for _, way := range candidates {
		if !slices.Contains(o.ways, way) {
			return way // never used: the first of them
		}
	}
	for _, way := range o.ways {
		if slices.Contains(candidates, way) {
			return way
		}
	}
	return -1
}

// marks are the ways used since all were.
type marks map[int]bool

func (m marks) insert(way int) { m[way] = true }
func (m marks) use(way int)    { m[way] = true }

func (m marks) victim(candidates []int) int {
	for range 2 {
		for _, way := range candidates {
			if !m[way] {
				return way
			}
		}
		for _, way := range candidates {
			delete(m, way)
		}
	}
	return -1
}

// half is a half of the ways, which points to one of its own halves. Ways that are no power of two fill the left one.
type half struct {
	ways   []int
	halves [2]*half
	older  int
}

func newHalf(ways []int) *half {
	h := &half{ways: ways}
	if n := len(ways); n > 1 {
		left := 1
		for 2*left < n {
			left *= 2
		}
		h.halves = [2]*half{newHalf(ways[:left]), newHalf(ways[left:])}
	}
	return h
}

func (h *half) insert(way int) { h.use(way) }

func (h *half) use(way int) {
	for k, x := range h.halves {
		if x != nil && slices.Contains(x.ways, way) {
			h.older = 1 - k
			x.use(way)
		}
	}
}

func (h *half) victim(candidates []int) int {
	if len(h.ways) == 1 {
		return h.ways[0]
	}
	x := h.halves[h.older]
	if !slices.ContainsFunc(candidates, func(way int) bool { return slices.Contains(x.ways, way) }) {
		x = h.halves[1-h.older]
	}
	return x.victim(candidates)
}

// intervals are the re-reference predictions of two bits.
type intervals []int

func (p intervals) insert(way int) { p[way] = 2 }
func (p intervals) use(way int)    { p[way] = 0 }

func (p intervals) victim(candidates []int) int {
	for range 4 {
		for _, way := range candidates {
			if p[way] == 3 {
				return way
			}
		}
		for way := range p {
			if p[way] < 3 {
				p[way]++
			}
		}
	}
	return -1
}

// TestPoliciesAreTheirDefinitions in every one of several sets, whatever happens in the
// others.
func TestPoliciesAreTheirDefinitions(t *testing.T) {
	const sets = 4
	for name, definition := range map[string]func(ways []int) defined{
		LRU:         func([]int) defined { return &inOrder{onUses: true} },
		"fifo":      func([]int) defined { return &inOrder{} },
		"nru":       func([]int) defined { return marks{} },
		"tree-plru": func(ways []int) defined { return newHalf(ways) },
		"srrip": func(ways []int) defined {
			p := make(intervals, len(ways))
			for i := range p {
				p[i] = 3
			}
			return p
		},
	} {
		maker, err := Policies.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 33, 64} {
			ways := make([]int, n)
			for i := range ways {
				ways[i] = i
			}
			r := rand.New(rand.NewPCG(2, uint64(n)))
			p := maker(sets, n, 1)
			var want [sets]defined
			for i := range want {
				want[i] = definition(ways)
			}
			for step := range 4000 {
				set, way := r.IntN(sets), r.IntN(n)
				switch r.IntN(4) {
				case 0:
					p.Insert(set, way)
					want[set].insert(way)
				case 1:
					p.Use(set, way)
					want[set].use(way)
				default:
					bits, candidates := uint64(1)<<way, []int(nil)
					if r.IntN(2) == 0 {
						bits |= r.Uint64() & all(n)
					}
					for _, w := range ways {
						if bits>>w&1 != 0 {
							candidates = append(candidates, w)
						}
					}
					if a, b := p.Victim(set, bits), want[set].victim(candidates); a != b {
						t.Fatalf("%s of %d ways, step %d: the victim of %v is %d, by the definition %d", name, n, step, candidates, a, b)
					}
				}
			}
		}
	}
}
