// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"cmp"
	"errors"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
)

// match finds the expected frames in a file that has become longer or shorter
// somewhere. A chunk is known by what it holds. Any other frame lies as far from the
// chunks next to it as it was written.
func (v *survey) match() error {
	v.content.File.Relocate = v.relocate
	moves := []int64{0, v.moved}
	if v.matchAll(moves) {
		return nil
	}
	var err error
	if v.walked, err = v.walk(); err != nil {
		return err
	}
	v.matchAll(v.findMoves(moves))
	return nil
}

// matchAll places all frames, and reports whether it could.
func (v *survey) matchAll(moves []int64) bool {
	clear(v.placed)
	for i := range v.expected {
		v.expected[i].at = -1
	}
	v.matchChunks(moves)
	v.matchOthers()
	return len(v.placed) == len(v.expected)
}

// maxMoves is more than damage makes.
const maxMoves = 256

// findMoves adds by how much chunks have moved.
func (v *survey) findMoves(moves []int64) []int64 {
	sizes := map[container.FrameInfo][]int{} // the chunks of a kind and length
	for i := range v.expected {
		e := &v.expected[i]
		if _, ok := e.key(); ok {
			size := container.FrameInfo{Kind: e.Kind, Length: e.Length}
			sizes[size] = append(sizes[size], i)
		}
	}
	for _, p := range v.walked {
		candidates := sizes[container.FrameInfo{Kind: p.Kind, Length: p.Length}]
		if _, placed := v.placed[p.Offset]; !p.whole || placed || len(moves) == maxMoves {
			continue
		}
		for _, i := range candidates[:min(len(candidates), maxMoves)] {
			if m := p.Offset - v.expected[i].Offset; v.holds(i, p) {
				if !slices.Contains(moves, m) {
					moves = append(moves, m)
				}
				break
			}
		}
	}
	v.bestFirst(moves)
	return moves
}

// holds reports whether a frame holds what chunk i does. The frame that it refers to, if
// it does, is the one that chunk i refers to.
func (v *survey) holds(i int, p piece) bool {
	v.placed[p.Offset] = i
	have, err := v.describe(p.FrameInfo)
	delete(v.placed, p.Offset)
	key, _ := v.expected[i].key()
	return err == nil && have == key
}

// bestFirst sorts moves by how many frames have moved so: a piece of the file that is
// there twice is where its neighbours are.
func (v *survey) bestFirst(moves []int64) {
	at := make(map[int64]piece, len(v.walked))
	for _, p := range v.walked {
		at[p.Offset] = p
	}
	frames := make(map[int64]int, len(moves))
	for _, m := range moves {
		for i := range v.expected {
			e := &v.expected[i]
			if p, ok := at[e.Offset+m]; ok && p.whole && p.Kind == e.Kind && p.Length == e.Length {
				frames[m]++
			}
		}
	}
	slices.SortStableFunc(moves, func(a, b int64) int { return cmp.Compare(frames[b], frames[a]) })
}

// chunkKey is what a chunk holds: the first thread block of a launch, or the first
// instruction of a CPU thread.
type chunkKey struct {
	cpu         bool
	of          int
	first, last uint64
}

func (e *expectedFrame) key() (chunkKey, bool) {
	switch {
	case e.chunk != nil:
		return chunkKey{false, e.chunk.Launch, e.chunk.FirstBlock, e.chunk.LastBlock}, true
	case e.cpu != nil:
		return chunkKey{true, e.cpu.Thread, e.cpu.First, e.cpu.First + uint64(e.cpu.Instructions)}, true
	}
	return chunkKey{}, false
}

var errNoChunk = errors.New("no chunk")

// describe reads what the chunk at a place holds.
func (v *survey) describe(f container.FrameInfo) (chunkKey, error) {
	switch f.Kind {
	case wtapepb.FrameKind_FRAME_KIND_CHUNK:
		info := container.ChunkInfo{Offset: f.Offset, Length: f.Length}
		err := v.content.DescribeChunk(&info, v.scratch)
		return chunkKey{false, info.Launch, info.FirstBlock, info.LastBlock}, err
	case wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK, wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK:
		c := v.cpu
		err := v.content.DecodeCPUChunk(f.Offset, f.Length, c)
		return chunkKey{true, c.Thread, c.First, c.First + uint64(len(c.Steps))}, err
	}
	return chunkKey{}, errNoChunk
}

// matchChunks places the chunks in order, each by the move of the one before if it can.
func (v *survey) matchChunks(moves []int64) {
	end, move := int64(frames.MagicBytes), int64(0)
	for i := range v.expected {
		e := &v.expected[i]
		key, ok := e.key()
		if !ok {
			continue
		}
		found := v.isAt(i, key, move, end, true)
		for n := 0; !found && n < len(moves); n++ {
			found = moves[n] != move && v.isAt(i, key, moves[n], end, false)
		}
		if found {
			end, move = e.at+e.Length, e.move()
		}
	}
}

// isAt reports whether chunk i lies at its place moved by some bytes, behind another. One
// that lies as the chunk before it need not say what it holds.
func (v *survey) isAt(i int, key chunkKey, move, low int64, certain bool) bool {
	if v.expected[i].Offset+move < low || !v.expect(i, move) {
		return false
	}
	have, err := v.describe(container.FrameInfo{Kind: v.expected[i].Kind, Offset: v.expected[i].at, Length: v.expected[i].Length})
	if err != nil && certain {
		return true // what it refers to may be lost
	}
	if err != nil || have != key {
		v.forget(i)
		return false
	}
	return true
}

// matchOthers places the frames between chunks. One that could be in two places is
// lost: which it is cannot be told.
func (v *survey) matchOthers() {
	next := make([]int, len(v.expected)) // chunk that is placed
	last := len(v.expected)
	for i := len(v.expected) - 1; i >= 0; i-- {
		if next[i] = last; v.expected[i].at >= 0 {
			last = i
		}
	}
	low, move := int64(frames.MagicBytes), int64(0)
	for i := range v.expected {
		e := &v.expected[i]
		if _, ok := e.key(); !ok {
			high, after := v.end, v.moved
			if next[i] < len(v.expected) {
				high, after = v.expected[next[i]].at, v.expected[next[i]].move()
			}
			v.matchBetween(i, move, after, low, high)
		}
		if e.at >= 0 {
			low = e.at + e.Length
			if _, ok := e.key(); ok {
				move = e.move()
			}
		}
	}
}

// matchBetween places frame i between two offsets, moved as what is before or after it.
func (v *survey) matchBetween(i int, before, after, low, high int64) {
	e := &v.expected[i]
	fits := func(move int64) bool {
		return e.Offset+move >= low && e.Offset+move+e.Length <= high && v.expect(i, move)
	}
	if !fits(before) {
		if move, ok := v.onlyMove(e, low, high); !fits(after) && ok {
			fits(move)
		}
		return
	}
	if at := e.at; after != before && fits(after) {
		delete(v.placed, at)
		v.forget(i)
	}
}

// onlyMove is that of the one frame between two offsets which has the kind and length of
// an expected frame that no other missing one shares.
func (v *survey) onlyMove(e *expectedFrame, low, high int64) (move int64, ok bool) {
	for i := range v.expected {
		if x := &v.expected[i]; x != e && x.at < 0 && x.Kind == e.Kind && x.Length == e.Length {
			return 0, false
		}
	}
	n := 0
	for _, p := range v.walked {
		if p.whole && p.Kind == e.Kind && p.Length == e.Length && p.Offset >= low && p.Offset+p.Length <= high {
			n++
			move = p.Offset - e.Offset
		}
	}
	return move, n == 1
}

var errLostReference = errors.New("the frame that it refers to is lost")

// relocate finds the frame that another refers to by where both were written.
func (v *survey) relocate(offset, at int64) (int64, error) {
	i, ok := v.placed[offset]
	if !ok {
		return 0, errLostReference
	}
	written := v.expected[i].Offset - (offset - at)
	j, ok := slices.BinarySearchFunc(v.expected, written, func(e expectedFrame, at int64) int { return cmp.Compare(e.Offset, at) })
	if !ok || v.expected[j].at < 0 {
		return 0, errLostReference
	}
	return v.expected[j].at, nil
}
