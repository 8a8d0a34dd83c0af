// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveDistance is the definition: distinct lines since the last touch.
func naiveDistance(history []uint64, line uint64) (int, bool) {
	seen := map[uint64]bool{}
	for _, h := range slices.Backward(history) {
		if h == line {
			return len(seen), true
		}
		seen[h] = true
	}
	return 0, false
}

func TestReuseDistanceEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := newReuseStack(1 << 20)
	s.lines, s.tree = make([]uint64, 16), make([]uint32, 17) // renumber often
	var history []uint64
	for i := range 3000 {
		line := uint64(rng.IntN(1 + i%150))
		distance, again := s.touch(line)
		if want, seen := naiveDistance(history, line); distance != want || again != seen {
			t.Fatalf("touch %d of line %d: %d %v, want %d %v", i, line, distance, again, want, seen)
		}
		history = append(history, line)
	}
}

func TestReuseStackForgetsBeyondItsLimit(t *testing.T) {
	s := newReuseStack(64)
	for i := range uint64(100000) {
		s.touch(i)
	}
	if !s.forgotten || len(s.last) > 256 || len(s.lines) > 512 {
		t.Errorf("forgotten %v, %d lines, %d times", s.forgotten, len(s.last), len(s.lines))
	}
	if d, again := s.touch(99999); d != 0 || !again {
		t.Errorf("distance %d %v of the line just touched", d, again)
	}
}

// BenchmarkReuseTouch isolates the tree of the reuse distance: touches of random
// lines of a footprint of 64 Ki lines.
func BenchmarkReuseTouch(b *testing.B) {
	s := newReuseStack(maxReuseLines)
	rng := rand.New(rand.NewPCG(2, 2))
	for b.Loop() {
		s.touch(uint64(rng.IntN(1 << 16)))
	}
}
