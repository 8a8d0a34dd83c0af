// SPDX-License-Identifier: Apache-2.0

package dump

import (
	"bufio"
	"encoding/json"
	"math/bits"
	"strconv"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/cursor"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/wtape"
)

// jsonForm is the form for programs: one object a line, each complete in itself.
// Masks and addresses are hexadecimal strings, since 64 bits do not fit a JSON
// number of most readers. Fields are only ever added.
type jsonForm struct {
	w     *bufio.Writer
	at    place
	lanes [trace.WarpSize]uint64
}

// place is where an object of a dump belongs.
type place struct {
	Launch int    `json:"launch"`
	Block  uint64 `json:"block"` // linear thread block id
	Warp   int    `json:"warp"`
	Visit  int    `json:"visit"` // of the warp, from 0
	// BasicBlock is the one visited.
	BasicBlock uint32 `json:"basic_block"`
}

func (j *jsonForm) write(object any) {
	line, err := json.Marshal(object)
	if err != nil {
		panic("BUG: dump: " + err.Error()) // strings and numbers only
	}
	j.w.Write(line)
	j.w.WriteByte('\n')
}

func (j *jsonForm) launch(number int, l *trace.Launch, k *trace.Kernel) {
	j.write(struct {
		Kind    string     `json:"kind"`
		Launch  int        `json:"launch"`
		Kernel  string     `json:"kernel"`
		Grid    trace.Dim3 `json:"grid"`
		Block   trace.Dim3 `json:"block_dim"`
		Cluster trace.Dim3 `json:"cluster,omitzero"`
	}{"launch", number, k.Name, l.Grid, l.Block, l.Cluster})
}

func (j *jsonForm) warp(launch int, block uint64, warp int) {
	j.at = place{Launch: launch, Block: block, Warp: warp}
}

func (j *jsonForm) visit(number int, basicBlock, mask uint32) {
	j.at.Visit, j.at.BasicBlock = number, basicBlock
	j.write(struct {
		Kind string `json:"kind"`
		place
		Lanes string `json:"lanes"`
	}{"visit", j.at, hexMask(mask)})
}

func (j *jsonForm) instruction(index uint32, in *trace.Instruction, mask uint32, c *wtape.Chunk, access *trace.Access) {
	object := struct {
		Kind string `json:"kind"`
		place
		Instruction uint32 `json:"instruction"` // in the kernel's table
		Opcode      string `json:"opcode"`
		Line        uint32 `json:"line"` // of PTX
		Lanes       string `json:"lanes"`
		Space       string `json:"space,omitempty"`
		LaneBytes   uint8  `json:"lane_bytes,omitempty"`
		// Base and Stride give the addresses of a regular access (lane i at base +
		// i*stride), Addresses those of another, from the lowest lane in Lanes up.
		Base      string   `json:"base,omitempty"`
		Stride    *int32   `json:"stride,omitempty"`
		Addresses []string `json:"addresses,omitempty"`
		// Numbers are what lanes bring to an mbarrier, in words: one for all, or one a lane.
		Numbers []string `json:"numbers,omitempty"`
		// Bulk is what a bulk copy moved.
		Bulk *trace.BulkCopy `json:"bulk,omitempty"`
		// Barrier is at which lanes arrive, where registers have its number or that of its threads.
		Barrier *barrier `json:"barrier,omitempty"`
	}{Kind: "instruction", place: j.at, Instruction: index, Opcode: in.Name(), Line: in.Line, Lanes: hexMask(mask)}
	if in.Values && mask != 0 {
		b := barrierOf(c, *access, mask)
		object.Barrier, access = &barrier{b.Number, b.Threads}, nil
	}
	if access != nil && !in.Values {
		object.Space, object.LaneBytes = in.Space.String(), in.LaneBytes
	}
	if access != nil && mask != 0 && in.Class == trace.ClassBulk {
		object.Bulk = new(trace.BulkCopy)
		c.Bulk(*access, object.Bulk)
	} else if access != nil && mask != 0 {
		c.Addresses(*access, mask, &j.lanes)
		object.Numbers = numbers(in, mask, &j.lanes)
		for i := range j.lanes {
			j.lanes[i] = trace.AddressOf(j.lanes[i])
		}
		if base, stride, ok := lanecode.DetectStride(mask, &j.lanes); ok {
			object.Base, object.Stride = hexAddress(base), &stride
		} else {
			for m := mask; m != 0; m &= m - 1 {
				object.Addresses = append(object.Addresses, hexAddress(j.lanes[bits.TrailingZeros32(m)]))
			}
		}
	}
	j.write(object)
}

func (j *jsonForm) cpu(c *cursor.CPU) {
	in, addresses := c.Instruction(), c.Addresses()
	for _, s := range c.Syncs() {
		j.write(struct {
			Kind    string `json:"kind"`
			Thread  int    `json:"thread"`
			Sync    string `json:"sync"` // its kind
			Object  string `json:"object"`
			Threads uint32 `json:"threads,omitempty"` // of a barrier
		}{"cpu-sync", c.Chunk.Thread, s.Kind.String(), hexAddress(s.Object), s.Threads})
	}
	object := struct {
		Kind        string   `json:"kind"`
		Thread      int      `json:"thread"`
		Instruction uint64   `json:"instruction"` // of the thread, from 0
		IP          string   `json:"ip"`
		Branch      string   `json:"branch,omitempty"` // its kind
		Taken       bool     `json:"taken,omitempty"`
		Writes      []int    `json:"writes,omitempty"` // registers
		Reads       []int    `json:"reads,omitempty"`
		Stores      []string `json:"stores,omitempty"` // addresses
		Loads       []string `json:"loads,omitempty"`
	}{Kind: "cpu", Thread: c.Chunk.Thread, Instruction: c.Number(), IP: hexAddress(in.IP), Taken: c.Taken()}
	if in.Branch {
		object.Branch = in.BranchKind().String()
	}
	object.Writes, object.Reads = registerNumbers(in.Destinations), registerNumbers(in.Sources)
	for i, a := range addresses {
		if i < in.Stores() {
			object.Stores = append(object.Stores, hexAddress(a))
		} else {
			object.Loads = append(object.Loads, hexAddress(a))
		}
	}
	j.write(object)
}

func hexMask(mask uint32) string {
	return strconv.FormatUint(1<<32|uint64(mask), 16)[1:] // 8 digits
}

func hexAddress(a uint64) string { return "0x" + strconv.FormatUint(a, 16) }
