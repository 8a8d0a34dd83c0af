// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// referenceChunk decodes a Chunk message with the generated code, straight from
// the words of wtape.proto: no shared tables, no laziness, one list per thing. It
// is the oracle for the real decoder.
func referenceChunk(raw []byte, r *wtape.Reader) (blocks []uint64, warps []testtraces.Warp, err error) {
	m := new(wtapepb.Chunk)
	if err := proto.Unmarshal(raw, m); err != nil {
		return nil, nil, err
	}
	launch := r.Launches()[m.Launch]
	kernel := &r.Kernels()[launch.Kernel]
	block := m.FirstBlock
	for i := range int(m.Blocks) {
		if i > 0 {
			block++
			if len(m.BlockGap) > 0 {
				block += m.BlockGap[i-1]
			}
		}
		blocks = append(blocks, block)
	}
	paths := referencePaths(m.Paths, kernel)
	masks := referenceMasks(m.Masks)
	path, mask := referenceNumbers(m.WarpPath), referenceNumbers(m.WarpMasks)
	guardNumber := referenceNumbers(m.WarpGuards)
	guards := make([][]uint32, len(m.Guards.GetLength()))
	guardCodes, guardValues := expandZeroRuns(m.Guards.GetCode()), m.Guards.GetValue()
	for w := range path {
		g := guardNumber[w]
		if guards[g] != nil {
			continue
		}
		guards[g] = []uint32{}
		for v, id := range paths[path[w]] {
			active := masks[mask[w]][v]
			b := kernel.Blocks[id]
			for i := b.First; i < b.First+b.Count; i++ {
				if !kernel.Instructions[i].Guarded() {
					continue
				}
				before := masks[mask[w]][0]
				if n := len(guards[g]); n > 0 {
					before = guards[g][n-1]
				}
				value := active
				switch guardCodes[0] {
				case 1:
					value = 0
				case 2:
					value = before & active
				case 3:
					value = active &^ before
				case 4:
					value = spread(guardValues[0], active)
					guardValues = guardValues[1:]
				}
				guardCodes = guardCodes[1:]
				guards[g] = append(guards[g], value)
			}
		}
	}
	streams := map[uint32]*referenceStream{}
	for _, s := range m.Accesses {
		streams[s.Instruction] = newReferenceStream(s, int64(kernel.Instructions[s.Instruction].LaneBytes))
	}
	for w := range path {
		var warp testtraces.Warp
		warp.Guards = append([]uint32(nil), guards[guardNumber[w]]...)
		left := warp.Guards
		for v, id := range paths[path[w]] {
			active := masks[mask[w]][v]
			warp.Visits = append(warp.Visits, testtraces.Visit{Block: id, Mask: active})
			b := kernel.Blocks[id]
			for i := b.First; i < b.First+b.Count; i++ {
				lanes := active
				if kernel.Instructions[i].Guarded() {
					lanes, left = left[0], left[1:]
				}
				if kernel.Instructions[i].HasAccess() {
					warp.Accesses = append(warp.Accesses, streams[i].next(w/launch.Warps(), w, lanes, streams[streams[i].m.Companion]))
				}
			}
		}
		warps = append(warps, warp)
	}
	return blocks, warps, nil
}

func expandZeroRuns(column []uint32) (out []uint32) {
	for i := 0; i < len(column); i++ {
		out = append(out, column[i])
		if column[i] == 0 {
			i++
			out = append(out, make([]uint32, column[i])...)
		}
	}
	return out
}

func referenceNumbers(column []uint32) (out []uint32) {
	unused := uint32(0)
	for _, r := range column {
		if r == 0 {
			out = append(out, unused)
			unused++
		} else {
			out = append(out, r-1)
		}
	}
	return out
}

func referencePaths(m *wtapepb.Paths, k *trace.Kernel) (paths [][]uint32) {
	steps := expandZeroRuns(m.GetStep())
	followed := map[uint32]uint32{}
	for _, n := range m.GetLength() {
		path := []uint32{}
		for v := range int(n) {
			predicted := uint32(0)
			if v > 0 {
				before := path[v-1]
				if last, ok := followed[before]; ok {
					predicted = last
				} else if s := k.Blocks[before].Successors; len(s) > 0 {
					predicted = s[0]
				}
			}
			id := predicted
			if steps[v] != 0 {
				id = steps[v] - 1
			}
			if v > 0 {
				followed[path[v-1]] = id
			}
			path = append(path, id)
		}
		steps = steps[n:]
		paths = append(paths, path)
	}
	return paths
}

func referenceMasks(m *wtapepb.Masks) (out [][]uint32) {
	codes, values := expandZeroRuns(m.GetCode()), m.GetValue()
	for _, n := range m.GetLength() {
		recent := []uint32{0xffffffff, 0, 0, 0}
		masks := []uint32{}
		for range n {
			var mask uint32
			switch code := codes[0]; code {
			case 4:
				mask = recent[1] &^ recent[0]
			case 5:
				mask, values = spread(values[0], recent[0]), values[1:]
			case 6:
				mask, values = values[0], values[1:]
			case 7:
				mask, values = recent[0]&^spread(1<<values[0], recent[0]), values[1:]
			case 8:
				mask, values = spread(1<<values[0], recent[0]), values[1:]
			default:
				mask = recent[code]
			}
			codes = codes[1:]
			masks = append(masks, mask)
			list := []uint32{mask}
			for _, r := range recent {
				if r != mask {
					list = append(list, r)
				}
			}
			recent = list[:4]
		}
		out = append(out, masks)
	}
	return out
}

// spread puts bit i of v at the i-th set position of mask.
func spread(v, mask uint32) (out uint32) {
	n := 0
	for l := range 32 {
		if mask>>l&1 == 1 {
			out |= v >> n & 1 << l
			n++
		}
	}
	return out
}

// referenceStream keeps every execution of an instruction, and searches them.
type referenceStream struct {
	m      *wtapepb.AccessStream
	kinds  []uint32
	stride int64
	shape  []uint64 // nil for the stride
	shapes [][]uint64
	bit    int
	done   []referenceExecution

	classes   []byte
	symbols   *referenceSymbols // or these
	lanes     []referenceLane   // explicit ones, in order
	table     map[uint64][2]uint32
	tableBits int
	means     [33]uint64 // of lanes, and one of all
	counts    [32]int64
	far       uint64               // distance to the companion
	latest    map[int]([32]uint64) // by warp, of any kind: for those that it is the companion of
	have      map[int]uint32
}

// referenceLane is one explicit lane.
type referenceLane struct {
	warp, execution, lane int
	units                 uint64
}

type referenceExecution struct {
	block, warp int
	base        uint64
}

func newReferenceStream(m *wtapepb.AccessStream, stride int64) *referenceStream {
	classes, tableBits := referenceClasses(m), 8
	lanes, symbols := len(classes), newReferenceSymbols(m)
	if symbols != nil {
		lanes = symbols.lanes
	}
	for tableBits < 18 && 1<<tableBits < lanes {
		tableBits++
	}
	return &referenceStream{m: m, kinds: expandZeroRuns(m.Kind), stride: stride, classes: classes, symbols: symbols, tableBits: tableBits,
		table: map[uint64][2]uint32{}, latest: map[int][32]uint64{}, have: map[int]uint32{}}
}

func (s *referenceStream) next(block, warp int, lanes uint32, companion *referenceStream) testtraces.Access {
	a := s.decode(block, warp, lanes, companion)
	latest := s.latest[warp]
	for l := range latest {
		if lanes>>l&1 == 1 {
			latest[l] = a.Addresses[l]
		}
	}
	s.latest[warp] = latest
	s.have[warp] |= lanes
	return a
}

func (s *referenceStream) decode(block, warp int, lanes uint32, companion *referenceStream) testtraces.Access {
	a := testtraces.Access{Mask: lanes}
	kind := s.kinds[0]
	s.kinds = s.kinds[1:]
	if kind == 5 {
		return a
	}
	base := s.predict(block, warp)
	if kind == 1 || kind == 2 || kind == 4 {
		base += uint64(s.m.Residual[0] << s.m.ResidualShift)
		s.m.Residual = s.m.Residual[1:]
	}
	switch kind {
	case 2:
		s.stride, s.shape = int64(s.m.Stride[0]), nil
		s.m.Stride = s.m.Stride[1:]
	case 3:
		s.shape = make([]uint64, 32)
		for l := range 32 {
			if lanes>>l&1 == 1 {
				s.shape[l] = s.m.LaneMinimum + s.units(warp, l, companion)<<s.m.LaneShift
			}
		}
		base = s.shape[bits.TrailingZeros32(lanes)]
		for l := range s.shape {
			s.shape[l] -= base
		}
		s.shapes = append(s.shapes, s.shape)
	case 4:
		s.shape = s.shapes[s.m.Shape[0]]
		s.m.Shape = s.m.Shape[1:]
	}
	s.done = append(s.done, referenceExecution{block, warp, base})
	for l := range 32 {
		switch {
		case lanes>>l&1 == 0:
		case s.shape == nil:
			a.Addresses[l] = base + uint64(int64(l)*s.stride)
		default:
			a.Addresses[l] = base + s.shape[l]
		}
	}
	return a
}

// value reads some bits, one at a time.
func (s *referenceStream) value(from []byte, width int) (v uint64) {
	for i := range width {
		v |= uint64(from[s.bit/8]>>(s.bit%8)&1) << i
		s.bit++
	}
	return v
}

// code reads the next class with its open bits.
func (s *referenceStream) code(lane int, key uint64, hasKey bool) uint64 {
	var class int
	if s.symbols != nil {
		class = s.symbols.class(lane, key, hasKey)
	} else {
		class = int(s.classes[0])
		s.classes = s.classes[1:]
	}
	if class < 8 {
		return uint64(class)
	}
	n, m := (class-8)/4, uint64(class-8)%4
	if s.m.LaneOpenCoded {
		return (4+m)<<(n+1) + s.symbols.open(lane, n+1)
	}
	return (4+m)<<(n+1) + s.value(s.m.LaneOpen, n+1)
}

// referenceSymbols reads lane_symbols, searching the frequencies for every symbol.
type referenceSymbols struct {
	context wtapepb.LaneContext
	lanes   int
	classes [][]uint32 // frequencies by context
	opens   [][]uint32 // by place and width
	states  [4]uint64
	words   []byte
	last    [32]int // class
}

func newReferenceSymbols(m *wtapepb.AccessStream) *referenceSymbols {
	if len(m.LaneSymbols) == 0 {
		return nil
	}
	s := &referenceSymbols{context: m.LaneContext, words: m.LaneSymbols}
	number := func() int {
		n, k := binary.Uvarint(s.words)
		s.words = s.words[k:]
		return int(n)
	}
	table := func() []uint32 {
		n := number()
		header := columns.Reader{Data: s.words[:n]}
		s.words = s.words[n:]
		var column []uint32
		for len(header.Data) > 0 {
			column = append(column, uint32(header.Uvarint()))
		}
		return expandZeroRuns(column)
	}
	s.lanes = number()
	for range map[wtapepb.LaneContext]int{0: 1, 1: 16, 2: 32}[m.LaneContext] {
		s.classes = append(s.classes, table())
	}
	if m.LaneOpenCoded {
		for range number() {
			s.opens = append(s.opens, table())
		}
	}
	for i := range s.states {
		s.states[i], s.words = uint64(binary.LittleEndian.Uint32(s.words)), s.words[4:]
	}
	return s
}

// take takes a symbol from the state of a lane; the frequencies add up to total.
func (s *referenceSymbols) take(lane int, frequencies []uint32, total uint64) (symbol int) {
	x, start := s.states[lane%4], uint64(0)
	for x%total >= start+uint64(frequencies[symbol]) {
		start += uint64(frequencies[symbol])
		symbol++
	}
	x = uint64(frequencies[symbol])*(x/total) + x%total - start
	if x < 65536 {
		x, s.words = x*65536+uint64(binary.LittleEndian.Uint16(s.words)), s.words[2:]
	}
	s.states[lane%4] = x
	return symbol
}

func (s *referenceSymbols) class(lane int, key uint64, hasKey bool) int {
	context := 0
	switch {
	case s.context == wtapepb.LaneContext_LANE_CONTEXT_SAME_LANE && s.last[lane] < 8:
		context = s.last[lane]
	case s.context == wtapepb.LaneContext_LANE_CONTEXT_SAME_LANE:
		context = min(15, 8+(s.last[lane]-8)/4)
	case s.context == wtapepb.LaneContext_LANE_CONTEXT_KEY && hasKey:
		context = int(key % 32)
	}
	s.last[lane] = s.take(lane, s.classes[context], 4096)
	return s.last[lane]
}

func (s *referenceSymbols) open(lane, n int) (v uint64) {
	for at := 0; at < n; at += 4 {
		v += uint64(s.take(lane, s.opens[at+min(4, n-at)-1], 1024)) << at
	}
	return v
}

func zigzag(c uint64) uint64 {
	if c%2 == 1 {
		return -(c/2 + 1)
	}
	return c / 2
}

// units decodes one explicit lane by the words of LaneModel.
func (s *referenceStream) units(warp, lane int, companion *referenceStream) (units uint64) {
	model := s.m.LaneModel
	if model == wtapepb.LaneModel_LANE_MODEL_FIXED {
		return s.value(s.m.Lanes, int(s.m.LaneBits))
	}
	mine := referenceLane{warp: warp, execution: len(s.done), lane: lane}
	before, own, hasOwn := s.search(mine)
	key, hasKey := own, hasOwn
	if model >= wtapepb.LaneModel_LANE_MODEL_COMPANION {
		key, hasKey = companion.latest[warp][lane]>>s.m.CompanionUnit, companion.have[warp]>>lane&1 == 1
	}
	code := s.code(lane, key, hasKey)
	mean, step := lane, s.m.LaneStep
	switch model {
	case wtapepb.LaneModel_LANE_MODEL_UNIFORM:
		units = code
	case wtapepb.LaneModel_LANE_MODEL_BEFORE:
		units = before + zigzag(code)
	case wtapepb.LaneModel_LANE_MODEL_LANES_MEAN:
		units = s.means[32]>>4 + zigzag(code)
		s.means[32] += uint64(int64(units*16-s.means[32]) >> 2)
	case wtapepb.LaneModel_LANE_MODEL_SAME_LANE:
		units = before + zigzag(code)
		if hasOwn {
			units = (own>>step+zigzag(code))<<step + own%(1<<step)
		}
	case wtapepb.LaneModel_LANE_MODEL_SAME_LANE_MEAN, wtapepb.LaneModel_LANE_MODEL_LANE_NUMBER:
		if model == wtapepb.LaneModel_LANE_MODEL_SAME_LANE_MEAN && !hasOwn {
			s.counts[lane] = 0
		}
		units = before + zigzag(code)
		if s.counts[lane] > 0 {
			units = (s.means[mean]>>4+zigzag(code))<<step + own%(1<<step)
		}
		s.counts[lane] = min(8, s.counts[lane]+1)
		s.means[mean] += uint64(int64((units>>step)*16-s.means[mean]) / s.counts[lane])
	case wtapepb.LaneModel_LANE_MODEL_COMPANION:
		units = code - 1
		if code == 0 && hasKey {
			units = key + s.far
		}
		if hasKey {
			s.far = units - key
		}
	case wtapepb.LaneModel_LANE_MODEL_NEAR_COMPANION:
		units = s.lowestBefore(mine) + zigzag(code)
		if hasKey {
			units = key + s.far + zigzag(code)
			s.far = units - key
		}
	default:
		slot := key * 0x9e3779b97f4a7c15 >> (64 - s.tableBits)
		entry := s.table[slot]
		units = code - 2
		if hasKey && code < 2 {
			units = uint64(entry[code])
		}
		if low := uint32(units); hasKey && low != entry[0] {
			s.table[slot] = [2]uint32{low, entry[0]}
		}
	}
	mine.units = units
	s.lanes = append(s.lanes, mine)
	return units
}

// lowestBefore is what the lowest lane of the execution before had.
func (s *referenceStream) lowestBefore(mine referenceLane) (units uint64) {
	for i, l := range s.lanes {
		if l.execution < mine.execution && (i == 0 || s.lanes[i-1].execution != l.execution) {
			units = l.units
		}
	}
	return units
}

// search finds the lane before, and what the lane had before in this warp.
func (s *referenceStream) search(mine referenceLane) (before, own uint64, hasOwn bool) {
	if n := len(s.lanes); n > 0 {
		last := s.lanes[n-1]
		before = last.units
		if last.execution != mine.execution {
			for i := n - 1; i >= 0 && s.lanes[i].execution == last.execution; i-- {
				before = s.lanes[i].units
			}
		}
	}
	for i := len(s.lanes) - 1; i >= 0 && s.lanes[i].warp == mine.warp; i-- {
		if s.lanes[i].lane == mine.lane {
			return before, s.lanes[i].units, true
		}
	}
	return before, 0, false
}

// referenceClasses expands lane_coded as docs/trace-format.md says, by searching
// the frequencies for every symbol.
func referenceClasses(m *wtapepb.AccessStream) (classes []byte) {
	if len(m.LaneCoded) == 0 {
		return m.LaneClass
	}
	in := m.LaneCoded
	n, k := binary.Uvarint(in)
	in = in[k:]
	length, k := binary.Uvarint(in)
	header := columns.Reader{Data: in[k : k+int(length)]}
	in = in[k+int(length):]
	var column []uint32
	for len(header.Data) > 0 {
		column = append(column, uint32(header.Uvarint()))
	}
	frequencies := expandZeroRuns(column)
	states := []uint64{0}
	if n >= 4096 {
		states = []uint64{0, 0, 0, 0}
	}
	for i := range states {
		states[i], in = uint64(binary.LittleEndian.Uint32(in)), in[4:]
	}
	for i := range n {
		x := states[i%uint64(len(states))]
		slot, start, class := uint32(x%4096), uint32(0), 0
		for slot >= start+frequencies[class] {
			start += frequencies[class]
			class++
		}
		x = uint64(frequencies[class])*(x/4096) + uint64(slot-start)
		if x < 65536 {
			x, in = x*65536+uint64(binary.LittleEndian.Uint16(in)), in[2:]
		}
		states[i%uint64(len(states))] = x
		classes = append(classes, byte(class))
	}
	return classes
}

// bases lists the bases of each warp that executed the instruction so far.
func (s *referenceStream) bases() (warps []referenceExecution, bases [][]uint64) {
	for _, e := range s.done {
		if len(warps) == 0 || warps[len(warps)-1].warp != e.warp {
			warps, bases = append(warps, e), append(bases, nil)
		}
		bases[len(bases)-1] = append(bases[len(bases)-1], e.base)
	}
	return warps, bases
}

func (s *referenceStream) predict(block, warp int) uint64 {
	warps, bases := s.bases()
	n := len(warps)
	if n == 0 {
		return 0
	}
	if warps[n-1].warp != warp { // first execution of a warp
		var warpDelta, blockDelta, blockFirst uint64
		lastBlock := -1
		for i, e := range warps {
			if e.block == lastBlock {
				warpDelta = e.base - warps[i-1].base
				continue
			}
			if lastBlock >= 0 {
				blockDelta = e.base - blockFirst
			}
			lastBlock, blockFirst = e.block, e.base
		}
		if warps[n-1].block == block {
			return warps[n-1].base + warpDelta
		}
		return blockFirst + blockDelta
	}
	own := bases[n-1]
	v := len(own)
	if n > 1 && len(bases[n-2]) > v {
		return own[v-1] + bases[n-2][v] - bases[n-2][v-1]
	}
	if v > 1 {
		return own[v-1] + own[v-1] - own[v-2]
	}
	return own[v-1]
}

func TestDecoderAgreesWithTheSchemasWords(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 60, tracetest.Fewer(5, 10)) {
		data := testtraces.Random(1000+seed).Encode(t, wtape.Options{Workers: 1})
		if err := compareWithReference(data); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func compareWithReference(data []byte) error {
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	c, message := wtape.NewChunk(), new(content.Chunk)
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, c); err != nil {
			return err
		}
		if err := r.Content().ReadChunkNumber(i, message); err != nil {
			return err
		}
		blocks, warps, err := referenceChunk(message.Frame.Raw, r)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(blocks, c.Blocks()) {
			return fmt.Errorf("chunk %d has blocks %v, the reference says %v", i, c.Blocks(), blocks)
		}
		kernel := &r.Kernels()[r.Launches()[c.Launch()].Kernel]
		for w := range warps {
			got := testtraces.NewWarp(c, kernel, c.Warp(blocks[w/c.WarpsPerBlock()], w%c.WarpsPerBlock()))
			if !reflect.DeepEqual(got, warps[w]) {
				return fmt.Errorf("chunk %d warp %d is %+v, the reference says %+v", i, w, got, warps[w])
			}
		}
	}
	return nil
}
