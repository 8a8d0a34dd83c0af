package trace

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/columns"
)

// chunkColumns are views into an undecoded Chunk message.
type chunkColumns struct {
	launch, firstBlock, blocks                uint64
	blockGap, warpPath, warpMasks, warpGuards []byte
	paths, masks, guards                      sequenceColumns
	streams                                   []streamColumns
}

// sequenceColumns are the columns of Paths, Masks or Guards.
type sequenceColumns struct{ length, code, value []byte }

// streamColumns are the fields of an AccessStream.
type streamColumns struct {
	instruction, residualShift                  uint64
	laneMinimum, laneShift, laneBits, laneCount uint64
	laneModel, companion, companionUnit         uint64
	kind, residual, stride, shape, lanes        []byte
	laneContext, laneOpenCoded, laneStep        uint64
	laneClass, laneOpen, laneCoded, laneSymbols []byte
}

var errWireFormat = errors.New("not a valid protobuf message")

// parse finds the columns without decoding them. Unknown fields are ignored.
func (c *chunkColumns) parse(message []byte) error {
	*c = chunkColumns{streams: c.streams[:0]}
	return eachField(message, func(field protowire.Number, number uint64, data []byte) error {
		switch field {
		case fieldLaunch:
			c.launch = number
		case fieldFirstBlock:
			c.firstBlock = number
		case fieldBlocks:
			c.blocks = number
		case fieldBlockGap:
			c.blockGap = data
		case fieldWarpPath:
			c.warpPath = data
		case fieldWarpMasks:
			c.warpMasks = data
		case fieldWarpGuards:
			c.warpGuards = data
		case fieldPaths:
			return c.paths.parse(data)
		case fieldMasks:
			return c.masks.parse(data)
		case fieldGuards:
			return c.guards.parse(data)
		case fieldAccesses:
			c.streams = append(c.streams, streamColumns{})
			return c.streams[len(c.streams)-1].parse(data)
		}
		return nil
	})
}

func (c *sequenceColumns) parse(message []byte) error {
	return eachField(message, func(field protowire.Number, _ uint64, data []byte) error {
		switch field {
		case fieldSequenceLength:
			c.length = data
		case fieldSequenceCode:
			c.code = data
		case fieldSequenceValue:
			c.value = data
		}
		return nil
	})
}

func (c *streamColumns) parse(message []byte) error {
	return eachField(message, func(field protowire.Number, number uint64, data []byte) error {
		switch field {
		case fieldInstruction:
			c.instruction = number
		case fieldKind:
			c.kind = data
		case fieldResidual:
			c.residual = data
		case fieldResidualShift:
			c.residualShift = number
		case fieldStride:
			c.stride = data
		case fieldShape:
			c.shape = data
		case fieldLaneMinimum:
			c.laneMinimum = number
		case fieldLaneShift:
			c.laneShift = number
		case fieldLaneBits:
			c.laneBits = number
		case fieldLaneCount:
			c.laneCount = number
		case fieldLanes:
			c.lanes = data
		case fieldLaneModel:
			c.laneModel = number
		case fieldLaneClass:
			c.laneClass = data
		case fieldLaneOpen:
			c.laneOpen = data
		case fieldLaneCoded:
			c.laneCoded = data
		case fieldLaneSymbols:
			c.laneSymbols = data
		case fieldLaneContext:
			c.laneContext = number
		case fieldLaneOpenCoded:
			c.laneOpenCoded = number
		case fieldLaneStep:
			c.laneStep = number
		case fieldCompanion:
			c.companion = number
		case fieldCompanionUnit:
			c.companionUnit = number
		}
		return nil
	})
}

// eachField calls visit for every varint and length-delimited field in order.
func eachField(message []byte, visit func(field protowire.Number, number uint64, data []byte) error) error {
	for len(message) > 0 {
		field, wire, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errWireFormat
		}
		message = message[n:]
		var number uint64
		var data []byte
		switch wire {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(field, wire, message)
		}
		if n < 0 {
			return errWireFormat
		}
		message = message[n:]
		if err := visit(field, number, data); err != nil {
			return err
		}
	}
	return nil
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
func (s *sequences) readLengths(c *sequenceColumns) error {
	s.reset()
	lengths := columns.Reader{Data: c.length}
	total := 0
	for len(lengths.Data) > 0 {
		n := lengths.Uvarint()
		if n > maxChunkVisits || total+int(n) > maxChunkVisits {
			return fmt.Errorf("sequences of more than %d elements", maxChunkVisits)
		}
		total += int(n)
		s.ends = append(s.ends, total)
	}
	if cap(s.data) < total {
		s.data = make([]uint32, total)
	}
	s.data = s.data[:total]
	return lengths.Check()
}
