package trace

import (
	"cmp"
	"errors"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// expectedFrame is a frame that the index lists, and where it is now.
type expectedFrame struct {
	frameInfo       // where it was written
	at        int64 // where it is, -1 if it is not
	chunk     *ChunkInfo
	cpu       *CPUChunkInfo
}

func (e *expectedFrame) move() int64 { return e.at - e.offset }

// expectedFrames lists the frames of an index in the order of the file.
func expectedFrames(x *index) (list []expectedFrame) {
	cpu := x.cpu
	for _, o := range x.others {
		e := expectedFrame{frameInfo: o, at: -1}
		if o.kind == wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK {
			e.cpu, cpu = &cpu[0], cpu[1:]
		}
		list = append(list, e)
	}
	for i := range x.chunks {
		c := &x.chunks[i]
		list = append(list, expectedFrame{frameInfo: frameInfo{wtapepb.FrameKind_FRAME_KIND_CHUNK, c.Offset, c.Length}, at: -1, chunk: c})
	}
	slices.SortStableFunc(list, func(a, b expectedFrame) int { return cmp.Compare(a.offset, b.offset) })
	return list
}

// inPlace finds the expected frames where they were written, and reports whether all
// are there.
func (v *survey) inPlace() bool {
	all := v.moved == 0
	for i := range v.expected {
		all = v.expect(i, 0) && all
	}
	return all
}

// expect looks for frame i at its place moved by some bytes, and notes it there.
func (v *survey) expect(i int, move int64) bool {
	e := &v.expected[i]
	at := e.offset + move
	if at < int64(frames.MagicBytes) || at+e.length > v.end {
		return false
	}
	if other, taken := v.placed[at]; taken && other != i {
		return false
	}
	h, err := v.header(at)
	if err != nil && v.repair(at, e.length, e.kind) {
		h, err = v.header(at)
	}
	if err != nil || !e.fits(&h) || !v.payloadHolds(at, &h) {
		return false
	}
	e.at = at
	v.placed[at] = i
	return true
}

// forget undoes expect.
func (v *survey) forget(i int) {
	e := &v.expected[i]
	delete(v.placed, e.at)
	e.at = -1
}

// fits reports whether a header can be that of the frame.
func (e *expectedFrame) fits(h *frames.Header) bool {
	switch {
	case h.Kind != e.kind || h.Length() != e.length:
		return false
	case e.chunk != nil:
		return int64(h.Raw) == e.chunk.RawBytes
	case e.cpu != nil:
		return int64(h.Raw) == e.cpu.RawBytes
	}
	return true
}

// match finds the expected frames in a file that has become longer or shorter
// somewhere. A chunk is known by what it holds. Any other frame lies as far from the
// chunks beside it as it was written.
func (v *survey) match() error {
	v.r.relocate = v.relocate
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
	sizes := map[frameInfo][]int{} // the chunks of a kind and length
	for i := range v.expected {
		e := &v.expected[i]
		if _, ok := e.key(); ok {
			size := frameInfo{kind: e.kind, length: e.length}
			sizes[size] = append(sizes[size], i)
		}
	}
	for _, p := range v.walked {
		candidates := sizes[frameInfo{kind: p.kind, length: p.length}]
		if _, placed := v.placed[p.offset]; !p.whole || placed || len(moves) == maxMoves {
			continue
		}
		for _, i := range candidates[:min(len(candidates), maxMoves)] {
			if m := p.offset - v.expected[i].offset; v.holds(i, p) {
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
	v.placed[p.offset] = i
	have, err := v.describe(p.frameInfo)
	delete(v.placed, p.offset)
	key, _ := v.expected[i].key()
	return err == nil && have == key
}

// bestFirst sorts moves by how many frames have moved so: a piece of the file that is
// there twice is where its neighbours are.
func (v *survey) bestFirst(moves []int64) {
	at := make(map[int64]piece, len(v.walked))
	for _, p := range v.walked {
		at[p.offset] = p
	}
	frames := make(map[int64]int, len(moves))
	for _, m := range moves {
		for i := range v.expected {
			e := &v.expected[i]
			if p, ok := at[e.offset+m]; ok && p.whole && p.kind == e.kind && p.length == e.length {
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
func (v *survey) describe(f frameInfo) (chunkKey, error) {
	switch f.kind {
	case wtapepb.FrameKind_FRAME_KIND_CHUNK:
		info := ChunkInfo{Offset: f.offset, Length: f.length}
		err := v.r.describeChunk(&info, v.scratch)
		return chunkKey{false, info.Launch, info.FirstBlock, info.LastBlock}, err
	case wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK:
		c := v.cpu
		_, raw, err := v.r.readFrame(f.offset, f.length, c.scratch)
		if err == nil {
			err = c.decode(raw)
		}
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
			end, move = e.at+e.length, e.move()
		}
	}
}

// isAt reports whether chunk i lies at its place moved by some bytes, behind another. One
// that lies as the chunk before it need not say what it holds.
func (v *survey) isAt(i int, key chunkKey, move, low int64, certain bool) bool {
	if v.expected[i].offset+move < low || !v.expect(i, move) {
		return false
	}
	have, err := v.describe(frameInfo{v.expected[i].kind, v.expected[i].at, v.expected[i].length})
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
			low = e.at + e.length
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
		return e.offset+move >= low && e.offset+move+e.length <= high && v.expect(i, move)
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
		if x := &v.expected[i]; x != e && x.at < 0 && x.kind == e.kind && x.length == e.length {
			return 0, false
		}
	}
	n := 0
	for _, p := range v.walked {
		if p.whole && p.kind == e.kind && p.length == e.length && p.offset >= low && p.offset+p.length <= high {
			n++
			move = p.offset - e.offset
		}
	}
	return move, n == 1
}

// expectedPieces are the expected frames.
func (v *survey) expectedPieces() []piece {
	pieces := make([]piece, 0, len(v.expected))
	for i := range v.expected {
		e := &v.expected[i]
		p := piece{frameInfo: e.frameInfo, whole: e.at >= 0, expected: i}
		if p.whole {
			p.offset = e.at
		}
		pieces = append(pieces, p)
	}
	return pieces
}

var errLostReference = errors.New("the frame that it refers to is lost")

// relocate finds the frame that another refers to by where both were written.
func (v *survey) relocate(offset, at int64) (int64, error) {
	i, ok := v.placed[offset]
	if !ok {
		return 0, errLostReference
	}
	written := v.expected[i].offset - (offset - at)
	j, ok := slices.BinarySearchFunc(v.expected, written, func(e expectedFrame, at int64) int { return cmp.Compare(e.offset, at) })
	if !ok || v.expected[j].at < 0 {
		return 0, errLostReference
	}
	return v.expected[j].at, nil
}
