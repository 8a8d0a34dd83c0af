package trace

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// Field numbers of Chunk and its parts in wtape.proto. Chunks are read and
// written field by field, without the generated code, because that would allocate
// a slice per column; a test holds the two against each other.
const (
	fieldLaunch     = 1
	fieldFirstBlock = 2
	fieldBlocks     = 3
	fieldBlockGap   = 4
	fieldWarpPath   = 5
	fieldWarpMasks  = 6
	fieldWarpGuards = 7
	fieldPaths      = 8
	fieldMasks      = 9
	fieldGuards     = 10
	fieldAccesses   = 11

	fieldSequenceLength = 1 // in Paths, Masks and Guards
	fieldSequenceCode   = 2
	fieldSequenceValue  = 3

	fieldInstruction   = 1 // in AccessStream
	fieldKind          = 2
	fieldResidual      = 3
	fieldResidualShift = 4
	fieldStride        = 5
	fieldShape         = 6
	fieldLaneMinimum   = 7
	fieldLaneShift     = 8
	fieldLaneBits      = 9
	fieldLaneCount     = 10
	fieldLanes         = 11
	fieldLaneModel     = 12
	fieldLaneClass     = 13
	fieldLaneOpen      = 14
	fieldCompanion     = 15
	fieldCompanionUnit = 16
	fieldLaneCoded     = 17
	fieldLaneSymbols   = 18
	fieldLaneContext   = 19
	fieldLaneOpenCoded = 20
	fieldLaneStep      = 21
)

// chunkEncoder turns raw chunks into Chunk messages. It is not safe for
// concurrent use; its memory is reused from chunk to chunk.
type chunkEncoder struct {
	codes   columns.ZeroRunWriter
	values  []byte
	lengths []byte
	part    []byte // a message inside the chunk, while it is built
	next    []uint32
	streams []accessEncoder

	warps, executions []uint64 // of each path, and of each memory instruction

	warpStart []int32 // place of each warp's first access
	lanes     lanecode.Encoder
	tried     []triedChoice // of the stream at hand
	sparse    sparseForm    // of the stream at hand
	known     sampled       // of it, no lanes for nothing
	form      lanesForm     // of it
	formed    bool          // whether form is of the stream as it is, with its codes
	used      tablesUsed

	precedents []precedent // of the streams of this chunk

	// cuts are the places in the message where long columns of random bits begin and
	// end; those of a part are places in it.
	cuts, partCuts []int
}

// tablesUsed counts the tables of a chunk, which readers limit: streams with a table
// of successors, and tables of frequencies.
type tablesUsed struct{ successors, classes, nibbles int }

// encode appends the message for c to dst.
func (e *chunkEncoder) encode(dst []byte, c *rawChunk) []byte {
	e.cuts = e.cuts[:0]
	dst = appendNumber(dst, fieldLaunch, uint64(c.launch))
	dst = appendNumber(dst, fieldFirstBlock, c.blocks[0])
	dst = appendNumber(dst, fieldBlocks, uint64(len(c.blocks)))
	dst = e.encodeBlockGaps(dst, c.blocks)
	dst = e.encodeReferences(dst, fieldWarpPath, c.warpPath)
	dst = e.encodeReferences(dst, fieldWarpMasks, c.warpMasks)
	dst = e.encodeReferences(dst, fieldWarpGuards, c.warpGuards)
	dst = e.encodePaths(dst, c)
	dst = e.encodeMasks(dst, &c.masks)
	dst = e.encodeGuards(dst, c)
	return e.encodeAccesses(dst, c)
}

func (e *chunkEncoder) encodeBlockGaps(dst []byte, blocks []uint64) []byte {
	if blocks[len(blocks)-1]-blocks[0] == uint64(len(blocks)-1) {
		return dst
	}
	e.values = e.values[:0]
	for i := 1; i < len(blocks); i++ {
		e.values = binary.AppendUvarint(e.values, blocks[i]-blocks[i-1]-1)
	}
	return appendColumn(dst, fieldBlockGap, e.values)
}

// encodeReferences writes 0 where a sequence is used first, else 1 + its number.
func (e *chunkEncoder) encodeReferences(dst []byte, field protowire.Number, numbers []uint32) []byte {
	e.values = e.values[:0]
	unused := uint32(0)
	for _, n := range numbers {
		if n == unused {
			unused++
			e.values = append(e.values, 0)
		} else {
			e.values = binary.AppendUvarint(e.values, uint64(n)+1)
		}
	}
	return appendColumn(dst, field, e.values)
}

// startSequences starts the three columns that paths, masks and guards have.
func (e *chunkEncoder) startSequences(t *columns.SequenceTable[uint32]) {
	e.codes.Reset()
	e.values, e.lengths = e.values[:0], e.lengths[:0]
	for i := range t.Len() {
		e.lengths = binary.AppendUvarint(e.lengths, uint64(len(t.At(i))))
	}
}

func (e *chunkEncoder) finishSequences(dst []byte, field protowire.Number) []byte {
	e.partCuts = e.partCuts[:0]
	e.part = appendColumn(e.part[:0], fieldSequenceLength, e.lengths)
	e.part = appendColumn(e.part, fieldSequenceCode, e.codes.Bytes())
	start := len(e.part)
	e.part = appendColumn(e.part, fieldSequenceValue, e.values)
	e.cut(start, len(e.part))
	return e.appendPart(dst, field)
}

// appendPart appends the message that is built, and notes its cuts.
func (e *chunkEncoder) appendPart(dst []byte, field protowire.Number) []byte {
	dst = appendColumn(dst, field, e.part)
	for _, cut := range e.partCuts {
		e.cuts = append(e.cuts, len(dst)-len(e.part)+cut)
	}
	return dst
}

func (e *chunkEncoder) encodePaths(dst []byte, c *rawChunk) []byte {
	e.startSequences(&c.paths)
	e.next = initialSuccessors(e.next, c.plan)
	for i := range c.paths.Len() {
		predicted, previous := uint32(0), NoBlock
		for _, id := range c.paths.At(i) {
			if previous != NoBlock {
				predicted = e.next[previous]
				e.next[previous] = id
			}
			if id == predicted {
				e.codes.Put(0)
			} else {
				e.codes.Put(uint64(id) + 1)
			}
			previous = id
		}
	}
	return e.finishSequences(dst, fieldPaths)
}

// initialSuccessors is what each basic block predicts before anything followed it.
func initialSuccessors(dst []uint32, p *plan) []uint32 {
	dst = dst[:0]
	for i := range p.kernel.Blocks {
		first := uint32(0)
		if s := p.kernel.Blocks[i].Successors; len(s) > 0 {
			first = s[0]
		}
		dst = append(dst, first)
	}
	return dst
}

func (e *chunkEncoder) encodeMasks(dst []byte, t *columns.SequenceTable[uint32]) []byte {
	e.startSequences(t)
	for i := range t.Len() {
		history := columns.NewMaskHistory()
		for _, mask := range t.At(i) {
			code, value := history.Code(mask)
			e.codes.Put(uint64(code))
			if code >= columns.MaskSubset {
				e.values = binary.AppendUvarint(e.values, uint64(value))
			}
			history.Use(mask)
		}
	}
	return e.finishSequences(dst, fieldMasks)
}

func (e *chunkEncoder) encodeGuards(dst []byte, c *rawChunk) []byte {
	e.startSequences(&c.guards)
	unused := uint32(0)
	for w, n := range c.warpGuards {
		if n == unused {
			unused++
			e.encodeGuardSequence(c, w)
		}
	}
	return e.finishSequences(dst, fieldGuards)
}

func (e *chunkEncoder) encodeGuardSequence(c *rawChunk, w int) {
	path, masks := c.paths.At(int(c.warpPath[w])), c.masks.At(int(c.warpMasks[w]))
	guards := c.guards.At(int(c.warpGuards[w]))
	before := masks0(masks)
	for v, id := range path {
		for range c.plan.blocks[id].guards {
			code, value := columns.GuardCode(guards[0], masks[v], before)
			e.codes.Put(uint64(code))
			if code == columns.GuardSubset {
				e.values = binary.AppendUvarint(e.values, uint64(value))
			}
			before, guards = guards[0], guards[1:]
		}
	}
}

// masks0 is the mask of the first visit, zero for a warp that visited nothing.
func masks0(masks []uint32) uint32 {
	if len(masks) == 0 {
		return 0
	}
	return masks[0]
}

// appendNumber appends a varint field; zero is left out, as in all of proto3.
func appendNumber(dst []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return dst
	}
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), v)
}

// appendColumn appends a packed column, bytes or message field; nothing when it is
// empty.
func appendColumn(dst []byte, field protowire.Number, data []byte) []byte {
	if len(data) == 0 {
		return dst
	}
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), data)
}
