// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/wire"
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

// Encoder turns raw chunks into Chunk messages. It is not safe for
// concurrent use; its memory is reused from chunk to chunk.
type Encoder struct {
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
	// spare is how many executions more may have explicit lanes than those that have no
	// stride: readers limit the sets of a chunk.
	spare int

	precedents []precedent // of the streams of this chunk

	// Cuts are the places in the message where long columns of random bits begin and
	// end; those of a part are places in it.
	Cuts, partCuts []int
}

// tablesUsed counts the tables of a chunk, which readers limit: streams with a table
// of successors, and tables of frequencies.
type tablesUsed struct{ successors, classes, nibbles int }

// Encode appends the message for c to dst.
func (e *Encoder) Encode(dst []byte, c *Raw) []byte {
	e.Cuts = e.Cuts[:0]
	dst = wire.AppendNumber(dst, fieldLaunch, uint64(c.Launch))
	dst = wire.AppendNumber(dst, fieldFirstBlock, c.Blocks[0])
	dst = wire.AppendNumber(dst, fieldBlocks, uint64(len(c.Blocks)))
	dst = e.encodeBlockGaps(dst, c.Blocks)
	dst = e.encodeReferences(dst, fieldWarpPath, c.WarpPath)
	dst = e.encodeReferences(dst, fieldWarpMasks, c.warpMasks)
	dst = e.encodeReferences(dst, fieldWarpGuards, c.warpGuards)
	dst = e.encodePaths(dst, c)
	dst = e.encodeMasks(dst, &c.Masks)
	dst = e.encodeGuards(dst, c)
	return e.encodeAccesses(dst, c)
}

func (e *Encoder) encodeBlockGaps(dst []byte, blocks []uint64) []byte {
	if blocks[len(blocks)-1]-blocks[0] == uint64(len(blocks)-1) {
		return dst
	}
	e.values = e.values[:0]
	for i := 1; i < len(blocks); i++ {
		e.values = binary.AppendUvarint(e.values, blocks[i]-blocks[i-1]-1)
	}
	return wire.AppendColumn(dst, fieldBlockGap, e.values)
}

// encodeReferences writes 0 where a sequence is used first, else 1 + its number.
func (e *Encoder) encodeReferences(dst []byte, field protowire.Number, numbers []uint32) []byte {
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
	return wire.AppendColumn(dst, field, e.values)
}

// startSequences starts the three columns that paths, masks and guards have.
func (e *Encoder) startSequences(t *columns.SequenceTable[uint32]) {
	e.codes.Reset()
	e.values, e.lengths = e.values[:0], e.lengths[:0]
	for i := range t.Len() {
		e.lengths = binary.AppendUvarint(e.lengths, uint64(len(t.At(i))))
	}
}

func (e *Encoder) finishSequences(dst []byte, field protowire.Number) []byte {
	e.partCuts = e.partCuts[:0]
	e.part = wire.AppendColumn(e.part[:0], fieldSequenceLength, e.lengths)
	e.part = wire.AppendColumn(e.part, fieldSequenceCode, e.codes.Bytes())
	start := len(e.part)
	e.part = wire.AppendColumn(e.part, fieldSequenceValue, e.values)
	e.cut(start, len(e.part))
	return e.appendPart(dst, field)
}

// appendPart appends the message that is built, and notes its cuts.
func (e *Encoder) appendPart(dst []byte, field protowire.Number) []byte {
	dst = wire.AppendColumn(dst, field, e.part)
	for _, cut := range e.partCuts {
		e.Cuts = append(e.Cuts, len(dst)-len(e.part)+cut)
	}
	return dst
}

func (e *Encoder) encodePaths(dst []byte, c *Raw) []byte {
	e.startSequences(&c.Paths)
	e.next = initialSuccessors(e.next, c.plan)
	for i := range c.Paths.Len() {
		predicted, previous := uint32(0), noBlock
		for _, id := range c.Paths.At(i) {
			if previous != noBlock {
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
func initialSuccessors(dst []uint32, p *Plan) []uint32 {
	dst = dst[:0]
	for i := range p.Blocks {
		dst = append(dst, p.Blocks[i].successor)
	}
	return dst
}

func (e *Encoder) encodeMasks(dst []byte, t *columns.SequenceTable[uint32]) []byte {
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

func (e *Encoder) encodeGuards(dst []byte, c *Raw) []byte {
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

func (e *Encoder) encodeGuardSequence(c *Raw, w int) {
	path, masks := c.Paths.At(int(c.WarpPath[w])), c.Masks.At(int(c.warpMasks[w]))
	guards := c.guards.At(int(c.warpGuards[w]))
	before := masks0(masks)
	for v, id := range path {
		for range c.plan.Blocks[id].Guards {
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
