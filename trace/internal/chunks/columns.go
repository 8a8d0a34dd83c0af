// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/wire"
)

// columnViews are views into an undecoded Chunk message.
type columnViews struct {
	launch, firstBlock, blocks                uint64
	BlockGap, WarpPath, WarpMasks, WarpGuards []byte
	Paths, Masks, Guards                      SequenceColumns
	Streams                                   []streamColumns
}

// SequenceColumns are the columns of Paths, Masks or Guards.
type SequenceColumns struct{ Length, Code, Value []byte }

// streamColumns are the fields of an AccessStream.
type streamColumns struct {
	instruction, residualShift                  uint64
	laneMinimum, laneShift, laneBits, laneCount uint64
	LaneModel, companion, companionUnit         uint64
	Kind, Residual, Stride, Shape, Lanes        []byte
	LaneContext, LaneOpenCoded, LaneStep        uint64
	LaneClass, LaneOpen, LaneCoded, LaneSymbols []byte
}

// parse finds the columns without decoding them. Unknown fields are ignored.
func (c *columnViews) parse(message []byte) error {
	*c = columnViews{Streams: c.Streams[:0]}
	return wire.EachField(message, func(field protowire.Number, number uint64, data []byte) error {
		switch field {
		case fieldLaunch:
			c.launch = number
		case fieldFirstBlock:
			c.firstBlock = number
		case fieldBlocks:
			c.blocks = number
		case fieldBlockGap:
			c.BlockGap = data
		case fieldWarpPath:
			c.WarpPath = data
		case fieldWarpMasks:
			c.WarpMasks = data
		case fieldWarpGuards:
			c.WarpGuards = data
		case fieldPaths:
			return c.Paths.parse(data)
		case fieldMasks:
			return c.Masks.parse(data)
		case fieldGuards:
			return c.Guards.parse(data)
		case fieldAccesses:
			c.Streams = append(c.Streams, streamColumns{})
			return c.Streams[len(c.Streams)-1].parse(data)
		}
		return nil
	})
}

func (c *SequenceColumns) parse(message []byte) error {
	return wire.EachField(message, func(field protowire.Number, _ uint64, data []byte) error {
		switch field {
		case fieldSequenceLength:
			c.Length = data
		case fieldSequenceCode:
			c.Code = data
		case fieldSequenceValue:
			c.Value = data
		}
		return nil
	})
}

func (c *streamColumns) parse(message []byte) error {
	return wire.EachField(message, func(field protowire.Number, number uint64, data []byte) error {
		switch field {
		case fieldInstruction:
			c.instruction = number
		case fieldKind:
			c.Kind = data
		case fieldResidual:
			c.Residual = data
		case fieldResidualShift:
			c.residualShift = number
		case fieldStride:
			c.Stride = data
		case fieldShape:
			c.Shape = data
		case fieldLaneMinimum:
			c.laneMinimum = number
		case fieldLaneShift:
			c.laneShift = number
		case fieldLaneBits:
			c.laneBits = number
		case fieldLaneCount:
			c.laneCount = number
		case fieldLanes:
			c.Lanes = data
		case fieldLaneModel:
			c.LaneModel = number
		case fieldLaneClass:
			c.LaneClass = data
		case fieldLaneOpen:
			c.LaneOpen = data
		case fieldLaneCoded:
			c.LaneCoded = data
		case fieldLaneSymbols:
			c.LaneSymbols = data
		case fieldLaneContext:
			c.LaneContext = number
		case fieldLaneOpenCoded:
			c.LaneOpenCoded = number
		case fieldLaneStep:
			c.LaneStep = number
		case fieldCompanion:
			c.companion = number
		case fieldCompanionUnit:
			c.companionUnit = number
		}
		return nil
	})
}

// Bytes is the size of the columns.
func (c *SequenceColumns) Bytes() int64 {
	return int64(len(c.Length) + len(c.Code) + len(c.Value))
}

// sequences is a decoded table of sequences.
type sequences struct {
	data []uint32
	ends []int
}

func (s *sequences) reset() { s.data, s.ends = s.data[:0], s.ends[:0] }

func (s *sequences) at(i int) []uint32 {
	start := 0
	if i > 0 {
		start = s.ends[i-1]
	}
	return s.data[start:s.ends[i]]
}

// readLengths allots the sequences; their total length is bounded before memory
// is taken.
func (s *sequences) readLengths(c *SequenceColumns, room *room) error {
	s.reset()
	lengths := columns.Reader{Data: c.Length}
	total, most := 0, room.elements()
	for len(lengths.Data) > 0 {
		n := lengths.Uvarint()
		if n > uint64(most-total) {
			return fmt.Errorf("sequences of more than %d elements", most)
		}
		total += int(n)
		s.ends = append(s.ends, total)
	}
	if cap(s.data) < total {
		s.data = make([]uint32, total)
	}
	s.data = s.data[:total]
	room.take(total)
	return lengths.Check()
}
