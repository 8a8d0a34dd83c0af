// SPDX-License-Identifier: Apache-2.0

// Command sectors tells how many 32-byte sectors of global memory a warp instruction of
// each source line touches: 4 of 4-byte elements that lie side by side, 32 where each lane
// goes elsewhere. It needs package trace alone:
//
//	go run ./docs/examples/sectors traces/recorded/transpose.wtape
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"os"
	"slices"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

const sectorBytes = 32

// place is a memory instruction of a kernel; count is what its executions touched.
type place struct {
	kernel, instruction int
}

type count struct {
	executions, sectors uint64
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sectors:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: sectors FILE.wtape")
	}
	r, err := wtape.Open(args[0])
	if err != nil {
		return err
	}
	defer r.Close()
	counts := map[place]count{}
	chunk := wtape.NewChunk() // takes one chunk after the other
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			return err
		}
		kernel := r.Launches()[chunk.Launch()].Kernel
		for _, block := range chunk.Blocks() {
			for warp := range chunk.WarpsPerBlock() {
				for e := range chunk.Warp(block, warp).Executed(&r.Kernels()[kernel]) {
					if e.Access == nil || e.Mask == 0 || e.In.Space != trace.SpaceGlobal || e.In.Class == trace.ClassBulk {
						continue
					}
					c := counts[place{kernel, int(e.Index)}]
					c.executions++
					c.sectors += sectors(chunk, &e)
					counts[place{kernel, int(e.Index)}] = c
				}
			}
		}
	}
	inOrder := func(a, b place) int { return cmp.Or(a.kernel-b.kernel, a.instruction-b.instruction) }
	for _, p := range slices.SortedFunc(maps.Keys(counts), inOrder) {
		k, c := &r.Kernels()[p.kernel], counts[p]
		in := &k.Instructions[p.instruction]
		fmt.Fprintf(out, "%s line %d: %s: %.2f sectors in each of %d warp instructions\n", k.Name, in.Line, in.Opcode, float64(c.sectors)/float64(c.executions), c.executions)
	}
	return nil
}

// sectors counts those that the lanes of one execution touch.
func sectors(chunk *wtape.Chunk, e *trace.Execution) uint64 {
	var lanes [trace.WarpSize]uint64
	chunk.Addresses(*e.Access, e.Mask, &lanes)
	touched := map[uint64]bool{}
	for mask := e.Mask; mask != 0; mask &= mask - 1 {
		first := lanes[bits.TrailingZeros32(mask)]
		for s := first / sectorBytes; s <= (first+uint64(e.In.LaneBytes)-1)/sectorBytes; s++ {
			touched[s] = true
		}
	}
	return uint64(len(touched))
}
