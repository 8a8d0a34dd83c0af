// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// mixedChunk is a chunk of gathers, with strided accesses of one lane in each third visit.
func mixedChunk(seed uint64) *Raw {
	const warps, visits = 40, 20
	c := gatherChunk(warps, visits, randomGather(seed, 9000))
	r, masks := rand.New(rand.NewPCG(seed, 7)), make([]uint32, visits+1)
	for i := range masks {
		if masks[i] = allLanes; i%3 == 1 {
			masks[i] = 1 << (i % 32)
		}
	}
	c.Masks.Reset()
	m, _ := c.Masks.Intern(masks)
	for w := range c.warpMasks {
		c.warpMasks[w] = uint32(m)
	}
	for i := range c.accesses {
		if mask := masks[i/2%visits]; mask != allLanes {
			c.accesses[i] = lanecode.Access{Base: 4 * uint64(r.IntN(9000)), Stride: 4 * int32(r.IntN(200)), Lanes: -1, Mask: mask}
			c.Sets--
		}
	}
	return c
}

// An encoder begins each chunk anew: its bytes are those of a new encoder. So does a decoder that has come to the bounds
// of a chunk.
func TestChunksBeginAnewBehindOthers(t *testing.T) {
	e, d := new(Encoder), new(Decoder)
	explicit := 0
	for seed := range uint64(3) {
		c := mixedChunk(seed)
		want := new(Encoder).Encode(nil, c)
		if got := e.Encode(nil, mixedChunk(seed)); !bytes.Equal(got, want) {
			t.Errorf("chunk %d: %d bytes behind another chunk, %d of a new encoder", seed, len(got), len(want))
		}
		d.explicit = 1 << 40
		err := d.Parse(want, 1)
		if err == nil {
			err = d.Decode(c.plan, 40, 1<<30)
		}
		if err != nil {
			t.Fatal(err)
		}
		accesses := make([]trace.Access, d.Accesses())
		if err := d.Fill(c.plan, accesses); err != nil || len(accesses) != len(c.accesses) {
			t.Fatalf("chunk %d: %d accesses of %d, %v", seed, len(accesses), len(c.accesses), err)
		}
		for i := range accesses {
			var got, want [trace.WarpSize]uint64
			if x := c.accesses[i]; x.Lanes >= 0 {
				for lane, offset := range c.lanes.At(x.Lanes) {
					want[lane] = x.Base + offset
				}
			} else {
				lanecode.PlaceStride(&want, x.Base, x.Stride)
			}
			if x := accesses[i]; x.Lanes >= 0 {
				d.Lanes.Place(x.Lanes, x.Base, &got)
			} else {
				lanecode.PlaceStride(&got, x.Base, x.Stride)
			}
			for mask := c.accesses[i].Mask; mask != 0; mask &= mask - 1 {
				if lane := bits.TrailingZeros32(mask); got[lane] != want[lane] {
					t.Fatalf("chunk %d, access %d, lane %d: %#x, want %#x", seed, i, lane, got[lane], want[lane])
				}
			}
		}
		explicit += d.explicit
	}
	if explicit == 0 {
		t.Error("no access has explicit lanes")
	}
}
