// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
)

// A name is live behind a block when a path from there reads it before it is written without a
// condition. The paths are followed one by one, for kernels of few names and of many.
func TestNamesAreLiveWhereAPathReadsThem(t *testing.T) {
	alive := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := names{count: []int{1, 63, 64, 65, 200}[seed%5]}
		k := &trace.Kernel{}
		blocks := 1 + r.IntN(9)
		for range blocks {
			b := trace.BasicBlock{First: uint32(len(k.Instructions)), Count: uint32(r.IntN(4))}
			for range r.IntN(3) {
				b.Successors = append(b.Successors, uint32(r.IntN(blocks)))
			}
			for range b.Count {
				k.Instructions = append(k.Instructions, trace.Instruction{Guard: trace.Guard{Present: r.IntN(3) == 0}})
				var of [2][]int32
				for i := range of {
					for range r.IntN(3) {
						of[i] = append(of[i], int32(r.IntN(n.count)))
					}
				}
				n.reads, n.wrote = append(n.reads, of[0]), append(n.wrote, of[1])
			}
			k.Blocks = append(k.Blocks, b)
		}
		l := findLiveness(k, &n)
		for b := range k.Blocks {
			for name := range int32(n.count) {
				want := readBehind(k, &n, uint32(b), name, map[uint32]bool{})
				if want {
					alive++
				}
				if got := l.after(uint32(b), name); got != want {
					t.Fatalf("seed %d: name %d of %d behind block %d of %d: live %v, want %v", seed, name, n.count, b, blocks, got, want)
				}
			}
		}
	}
	if alive < 300 {
		t.Errorf("%d names are live", alive)
	}
}

// readBehind follows the paths from the end of a block that lead to blocks not seen.
func readBehind(k *trace.Kernel, n *names, block uint32, name int32, seen map[uint32]bool) bool {
	has := func(list []int32) bool {
		for _, x := range list {
			if x == name {
				return true
			}
		}
		return false
	}
next:
	for _, to := range k.Blocks[block].Successors {
		if seen[to] {
			continue
		}
		seen[to] = true
		b := &k.Blocks[to]
		for i := b.First; i < b.First+b.Count; i++ {
			if has(n.reads[i]) {
				return true
			}
			if has(n.wrote[i]) && !k.Instructions[i].Guard.Present {
				continue next
			}
		}
		if readBehind(k, n, to, name, seen) {
			return true
		}
	}
	return false
}
