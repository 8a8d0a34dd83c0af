// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/wire"
)

// hostileChunk builds a chunk message whose columns promise far more than they hold.
func hostileChunk(lengths, blocks uint64, warps int) []byte {
	run := func(n uint64) []byte { return protowire.AppendVarint([]byte{0}, n) }
	refs := append([]byte{0}, make([]byte, warps-1)...)
	for i := range refs[1:] {
		refs[1+i] = 1
	}
	raw := wire.AppendNumber(nil, fieldBlocks, blocks)
	for _, field := range []protowire.Number{fieldWarpPath, fieldWarpMasks, fieldWarpGuards} {
		raw = wire.AppendColumn(raw, field, refs)
	}
	table := wire.AppendColumn(nil, fieldSequenceLength, protowire.AppendVarint(nil, lengths))
	table = wire.AppendColumn(table, fieldSequenceCode, run(lengths-1))
	for _, field := range []protowire.Number{fieldPaths, fieldMasks, fieldGuards} {
		raw = wire.AppendColumn(raw, field, table)
	}
	stream := wire.AppendNumber(nil, fieldInstruction, 1)
	return wire.AppendColumn(raw, fieldAccesses, wire.AppendColumn(stream, fieldKind, run(1<<60)))
}

// Sequences that all have room by themselves may be too many together; the sum is known
// before the accesses of any warp are allotted.
func TestOneThreadBlockIsBoundedByItsMemory(t *testing.T) {
	r := newRoom(1)
	for _, c := range []struct{ visits, guards, accesses, laneSets int }{
		{LargestBytes / 8, 0, 0, 1 << 20},
		{0, 0, LargestBytes/32 - 10*1<<20, 1 << 20},
		{0, 0, 0, LargestBytes / 320},
		{LargestBytes / 8, 1, 0, -1},
		{0, LargestBytes/4 - 7, 1, -1},
		{0, 0, LargestBytes/32 + 1, -1},
	} {
		err := r.hold(c.visits, c.guards, c.accesses)
		if (err != nil) != (c.laneSets < 0) || err == nil && r.laneSets != c.laneSets {
			t.Errorf("%+v: %v, room for %d sets", c, err, r.laneSets)
		}
	}
	several := newRoom(2)
	if several.hold(MaxVisits, 0, maxAccesses) != nil || several.hold(MaxVisits+1, 0, 0) == nil || several.hold(0, 0, maxAccesses+1) == nil {
		t.Error("the bounds of a chunk of several thread blocks are others")
	}
}

func TestPromisesBeyondTheLimitsAreRefused(t *testing.T) {
	in := Instruction{}
	load := Instruction{Memory: true, Guarded: true, LaneBytes: 4}
	p := NewPlan("load", []Instruction{in, load, in}, []Block{{0, 3, 0}})
	for want, raw := range map[string][]byte{
		"sequences of more than":                  hostileChunk(1<<62, 1, 1),
		"paths: sequences of more than 268435456": hostileChunk(LargestBytes/8+1, 1, 1),
		"paths: sequences of more than 33554432":  hostileChunk(MaxVisits+1, 2, 2),
		"warps: more than 33554432 visits":        hostileChunk(1<<20, 64, 64),
		"thread blocks: 4294967296 of them":       hostileChunk(1, 1<<32, 1),
		"thread blocks: column ends early":        hostileChunk(1, 100, 99),
		"addresses: instruction 1: column has el": hostileChunk(4, 2, 2),
	} {
		var d Decoder
		err := d.Parse(raw, 1)
		if err == nil {
			err = d.Decode(p, 1, 1<<30)
		}
		if err == nil {
			err = d.Fill(p, make([]trace.Access, d.Accesses()))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// The bound of a chunk is in warps: the more warps a thread block has, the fewer blocks are allowed.
func TestThreadBlocksOfSeveralWarpsAreFewer(t *testing.T) {
	for warps, most := range map[int]uint64{1: maxWarps, 2: maxWarps / 2, 64: maxWarps / 64} {
		for blocks, want := range map[uint64]string{most: "column ends early", most + 1: "want 1 to"} {
			var d Decoder
			if err := d.Parse(hostileChunk(1, blocks, 1), 1); err != nil {
				t.Fatal(err)
			}
			err := d.Decode(NewPlan("none", nil, nil), warps, 1<<30)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d blocks of %d warps: %v, want %s", blocks, warps, err, want)
			}
		}
	}
}
