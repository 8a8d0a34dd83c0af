// SPDX-License-Identifier: Apache-2.0

package lowering

import "github.com/warptape/warptape/trace"

// places is a set of places: a bit each, by file.
type places map[trace.RegisterFile][]uint64

func (s places) has(p place) bool {
	bits := s[p.file]
	return int(p.number/64) < len(bits) && bits[p.number/64]>>(p.number%64)&1 != 0
}

func (s places) add(p place) {
	for len(s[p.file]) <= int(p.number/64) {
		s[p.file] = append(s[p.file], 0)
	}
	s[p.file][p.number/64] |= 1 << (p.number % 64)
}

// join adds another set, and reports whether that brought anything.
func (s places) join(other places) (more bool) {
	for file, bits := range other {
		for w, b := range bits {
			for len(s[file]) <= w {
				s[file] = append(s[file], 0)
			}
			more = more || b&^s[file][w] != 0
			s[file][w] |= b
		}
	}
	return more
}

// overwrittenBehind gives, by basic block, what blocks on a path behind it may write: itself
// too, where it lies in a loop. What answers late may still have to read its sources when
// such a block begins.
func overwrittenBehind(k *trace.Kernel) []places {
	n := len(k.Blocks)
	own, behind, before := make([]places, n), make([]places, n), make([][]int, n)
	var work []int
	var list []trace.Register
	for b := range k.Blocks {
		own[b], behind[b] = places{}, places{}
		at := &k.Blocks[b]
		for i := at.First; i < at.First+at.Count; i++ {
			list = k.Instructions[i].Writes(list[:0])
			for _, p := range placesOf(list) {
				own[b].add(p)
			}
		}
		for _, s := range at.Successors {
			if int(s) < n {
				before[s] = append(before[s], b)
			}
		}
		work = append(work, b)
	}
	queued := make([]bool, n)
	for b := range queued {
		queued[b] = true
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		queued[b] = false
		for _, p := range before[b] {
			more := behind[p].join(own[b])
			if behind[p].join(behind[b]) || more {
				if !queued[p] {
					queued[p] = true
					work = append(work, p)
				}
			}
		}
	}
	return behind
}
