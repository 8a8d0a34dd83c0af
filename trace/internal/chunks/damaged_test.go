// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/wire"
)

// decoded decodes a message after a change of its columns, and after one of what is decoded in front of its accesses.
func decoded(message []byte, warps int, columns, between func(d *Decoder)) (*Decoder, error) {
	d := new(Decoder)
	if err := d.Parse(message, 1); err != nil {
		return nil, err
	}
	if columns != nil {
		columns(d)
	}
	if err := d.Decode(gatherPlan(), warps, 1<<30); err != nil {
		return nil, err
	}
	if between != nil {
		between(d)
	}
	return d, d.Fill(gatherPlan(), make([]trace.Access, d.Accesses()))
}

// What no encoder writes is refused for what it is: numbers at their bounds are none any more, and parts belong to a stream of their own.
func TestColumnsBeyondTheirBoundsAreRefused(t *testing.T) {
	single := new(Encoder).Encode(nil, gatherChunk(1, 1, func(_, _, load, lane int) uint64 { return 4 * uint64(lane*lane*31+load*7%1000) }))
	first := func(change func(s *streamColumns)) func(d *Decoder) {
		return func(d *Decoder) { change(&d.Columns.Streams[0]) }
	}
	if d, err := decoded(single, 1, nil, nil); err != nil || d.Columns.Streams[0].LaneModel != lanecode.ModelFixed || d.Columns.Streams[0].laneCount != 32 {
		t.Fatalf("%v: the first load is %+v, not 32 addresses of fixed width", err, d.Columns.Streams[0])
	}
	for _, c := range []struct {
		want            string
		change, between func(d *Decoder)
	}{
		{want: "shift or width of more than 64 bits", change: first(func(s *streamColumns) { s.residualShift = 64 })},
		{want: "shift or width of more than 64 bits", change: first(func(s *streamColumns) { s.laneShift = 64 })},
		{want: "shift or width of more than 64 bits", change: first(func(s *streamColumns) { s.laneBits = 65 })},
		{want: "shift or width of more than 64 bits", change: first(func(s *streamColumns) { s.companionUnit = 64 })},
		{want: "unknown lane context", change: first(func(s *streamColumns) { s.LaneContext = lanecode.ContextEnd })},
		{want: "not one of lane model", change: first(func(s *streamColumns) { s.LaneContext = lanecode.ContextKey })},
		{want: "lane step of 1 bits", change: first(func(s *streamColumns) { s.LaneStep = 1 })},
		{want: "lane step of 64 bits", change: first(func(s *streamColumns) {
			for s.LaneStep = 64; !lanecode.UsesStep(int(s.LaneModel)) && s.LaneModel < lanecode.ModelEnd; s.LaneModel++ {
			}
		})},
		{want: "unknown lane model", change: first(func(s *streamColumns) { s.LaneModel = lanecode.ModelEnd })},
		{want: "lane addresses of", change: first(func(s *streamColumns) { s.laneCount = 1 << 62 })},
		{want: "lane addresses of", change: first(func(s *streamColumns) { s.laneCount++ })},
		{want: "is no memory instruction", change: first(func(s *streamColumns) { s.instruction = 2 })},
		{want: "is no memory instruction or is out of order", change: func(d *Decoder) { d.Columns.Streams = append(d.Columns.Streams, d.Columns.Streams[1]) }},
		{want: "is no memory instruction or is out of order", change: func(d *Decoder) {
			d.Columns.Streams[0], d.Columns.Streams[1] = d.Columns.Streams[1], d.Columns.Streams[0]
		}},
		{want: "executes but has no addresses", change: func(d *Decoder) { d.Columns.Streams = d.Columns.Streams[:1] }},
		{want: "lane symbols beside classes", change: first(func(s *streamColumns) { s.LaneSymbols, s.LaneClass = []byte{1}, []byte{1} })},
		{want: "lane symbols beside classes", change: first(func(s *streamColumns) { s.LaneSymbols, s.LaneCoded = []byte{1}, []byte{1} })},
		{want: "lane symbols beside classes", change: first(func(s *streamColumns) { s.LaneSymbols, s.LaneOpen, s.LaneOpenCoded = []byte{1}, []byte{1}, 1 })},
		{want: "shape 0 of 0 does not exist", change: first(func(s *streamColumns) { s.Kind, s.Residual, s.Shape = []byte{accessShape}, []byte{0}, []byte{0} })},
		{want: "unknown kind 6", change: first(func(s *streamColumns) { s.Kind = []byte{accessEmpty + 1} })},
		{want: "32 explicit lane addresses where 0 are left", change: first(func(s *streamColumns) { s.laneCount, s.Lanes = 0, nil })},
		{want: "more than 1 sets of lane addresses", between: func(d *Decoder) { d.room.laneSets = 1 }},
		{want: "does not fit 32 bits", change: first(func(s *streamColumns) {
			s.Kind, s.Residual, s.Stride, s.laneCount, s.Lanes = []byte{accessStride}, []byte{0}, []byte{0x80, 0x80, 0x80, 0x80, 0x10}, 0, nil
		})},
		{want: "column has elements", change: first(func(s *streamColumns) { s.Residual = []byte{0} })},
		{want: "column has elements", change: first(func(s *streamColumns) { s.Kind, s.Residual = []byte{accessMoved}, []byte{0} })},
		{want: "0 of them, want 1", change: func(d *Decoder) { d.Columns.blocks = 0 }},
		{want: "thread block 1073741824 in a grid of", change: func(d *Decoder) { d.Columns.firstBlock = 1 << 30 }},
		{want: "where 0 of 1 sequences are in use", change: func(d *Decoder) { d.Columns.WarpPath = []byte{1} }},
	} {
		if _, err := decoded(single, 1, c.change, c.between); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// A chunk is of a launch that there is.
func TestAChunkIsOfALaunchOfTheTrace(t *testing.T) {
	message := wire.AppendNumber(hostileChunk(1, 1, 1), fieldLaunch, 2)
	for launches := range 5 {
		if err := new(Decoder).Parse(message, launches); (err == nil) != (launches > 2) {
			t.Errorf("launch 2 of %d: %v", launches, err)
		}
	}
}

// A stream begins each chunk without a reader of its addresses.
func TestAStreamIsNoCompanionFromTheChunkBefore(t *testing.T) {
	s := accessDecoder{watched: true, watch: lanecode.Watch{Warp: 7}}
	if err := s.start(&streamColumns{}, 4); err != nil || s.watched || s.watch.Warp != -1 {
		t.Errorf("%v: watched %v, of warp %d", err, s.watched, s.watch.Warp)
	}
}

// Companions are other streams with addresses.
func TestCompanionsAreOtherStreams(t *testing.T) {
	const warps = 40
	c := gatherChunk(warps, 20, func(warp, visit, load, lane int) uint64 { // the second load's addresses are three times the first's
		return uint64(1+2*load) * 4 * (uint64(warp*7919+visit*104729+lane*31337) * 2654435761 >> 7 % 65536)
	})
	message := new(Encoder).Encode(nil, c)
	d, err := decoded(message, warps, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i := range d.Columns.Streams {
		if lanecode.UsesCompanion(int(d.Columns.Streams[i].LaneModel)) {
			at = i
		}
	}
	if at < 0 {
		t.Fatal("no load has a companion")
	}
	for _, companion := range []uint64{d.Columns.Streams[at].instruction, 2, 1 << 40} {
		_, err := decoded(message, warps, func(d *Decoder) { d.Columns.Streams[at].companion = companion }, nil)
		if err == nil || !strings.Contains(err.Error(), "has no addresses or is itself") {
			t.Errorf("companion %d: %v", companion, err)
		}
	}
}

// A chunk of 40 warps, each with 20 visits of two loads and one of an exit, has 40·(20·2+1) instructions and 40·20·2 accesses.
func TestADecodedChunkCountsWhatItHas(t *testing.T) {
	const warps, visits = 40, 20
	d, err := decoded(new(Encoder).Encode(nil, gatherChunk(warps, visits, randomGather(3, 9000))), warps, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := d.WarpInstructions(); n != warps*(visits*2+1) || d.Accesses() != warps*visits*2 {
		t.Errorf("%d instructions and %d accesses", n, d.Accesses())
	}
	for warp := range warps {
		if from, to := d.Extent(warp); from != warp*visits*2 || to != from+visits*2 {
			t.Errorf("the accesses of warp %d are %d to %d", warp, from, to)
		}
	}
	path, block := d.CountVisits(gatherPlan(), nil, nil)
	if len(path) != 1 || path[0] != warps || len(block) != 2 || block[0] != warps*visits || block[1] != warps {
		t.Errorf("visits are %v by path, %v by block", path, block)
	}
	if n := d.Bytes(); n < 4*int64(len(d.paths.data)+len(d.masks.data)+len(d.guards.data))+d.Lanes.Bytes() || n > 8*int64(len(d.paths.data)+len(d.masks.data)+64)+d.Lanes.Bytes() {
		t.Errorf("%d bytes for %d visits, and %d of lanes", n, len(d.paths.data), d.Lanes.Bytes())
	}
}

// Thread blocks are found where they stand, with gaps and without.
func TestThreadBlocksAreFoundAmongGaps(t *testing.T) {
	for _, list := range [][]uint64{{7}, {7, 8, 9, 10}, {7, 9, 10, 20}, {7, 8, 30}} {
		d := Decoder{Blocks: list}
		for block := range uint64(40) {
			want := -1
			for i, b := range list {
				if b == block {
					want = i
				}
			}
			if i, ok := d.Place(block); ok != (want >= 0) || ok && i != want {
				t.Errorf("of %v thread block %d is at %d (%v), want %d", list, block, i, ok, want)
			}
		}
	}
	if _, ok := new(Decoder).Place(0); ok {
		t.Error("an empty chunk has a thread block")
	}
}

// The thread blocks of a message are described as they are decoded.
func TestDescribedThreadBlocksAreThoseDecoded(t *testing.T) {
	for gaps, want := range map[string]uint64{"": 6, "\x00\x00": 6, "\x02\x03": 11, "\x00\x81\x01": 135} {
		message := wire.AppendColumn(wire.AppendNumber(hostileChunk(1, 3, 3), fieldFirstBlock, 4), fieldBlockGap, []byte(gaps))
		d := &Decoder{Warps: 1}
		launch, first, last, err := d.Describe(message)
		if err != nil || launch != 0 || first != 4 || last != want {
			t.Errorf("gaps %q: launch %d, thread blocks %d to %d, %v", gaps, launch, first, last, err)
		}
		if err := d.decodeBlocks(1 << 30); err != nil || len(d.Blocks) != 3 || d.Blocks[0] != 4 || d.Blocks[2] != want {
			t.Errorf("gaps %q: thread blocks %v, %v", gaps, d.Blocks, err)
		}
		d.Columns.BlockGap = []byte{0x80, 0x80, 0x80, 0x80, 0x04, 0}
		if err := d.decodeBlocks(1 << 30); err == nil || !strings.Contains(err.Error(), "thread block 4 is followed by a gap of 1073741824") {
			t.Errorf("a gap as long as the grid: %v", err)
		}
	}
	if _, _, _, err := new(Decoder).Describe(hostileChunk(1, 0, 1)); err == nil {
		t.Error("a chunk of no thread blocks is described")
	}
}
