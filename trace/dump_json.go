package trace

import (
	"bufio"
	"encoding/json"
	"math/bits"
	"strconv"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

// dumpJSON is the form for programs: one object a line, each complete in itself.
// Masks and addresses are hexadecimal strings, since 64 bits do not fit a JSON
// number of most readers. Fields are only ever added.
type dumpJSON struct {
	w     *bufio.Writer
	at    dumpPlace
	lanes [WarpSize]uint64
}

// dumpPlace is where an object of a dump belongs.
type dumpPlace struct {
	Launch int    `json:"launch"`
	Block  uint64 `json:"block"` // linear thread block id
	Warp   int    `json:"warp"`
	Visit  int    `json:"visit"` // of the warp, from 0
	// BasicBlock is the one visited.
	BasicBlock uint32 `json:"basic_block"`
}

func (j *dumpJSON) write(object any) {
	line, err := json.Marshal(object)
	if err != nil {
		panic("BUG: dump: " + err.Error()) // strings and numbers only
	}
	j.w.Write(line)
	j.w.WriteByte('\n')
}

func (j *dumpJSON) launch(number int, l *Launch, k *Kernel) {
	j.write(struct {
		Kind   string `json:"kind"`
		Launch int    `json:"launch"`
		Kernel string `json:"kernel"`
		Grid   Dim3   `json:"grid"`
		Block  Dim3   `json:"block_dim"`
	}{"launch", number, k.Name, l.Grid, l.Block})
}

func (j *dumpJSON) warp(launch int, block uint64, warp int) {
	j.at = dumpPlace{Launch: launch, Block: block, Warp: warp}
}

func (j *dumpJSON) visit(number int, basicBlock, mask uint32) {
	j.at.Visit, j.at.BasicBlock = number, basicBlock
	j.write(struct {
		Kind string `json:"kind"`
		dumpPlace
		Lanes string `json:"lanes"`
	}{"visit", j.at, hexMask(mask)})
}

func (j *dumpJSON) instruction(index uint32, in *Instruction, mask uint32, c *Chunk, access *Access) {
	object := struct {
		Kind string `json:"kind"`
		dumpPlace
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
		// Bulk is what a bulk copy moved.
		Bulk *BulkCopy `json:"bulk,omitempty"`
	}{Kind: "instruction", dumpPlace: j.at, Instruction: index, Opcode: in.Name(), Line: in.Line, Lanes: hexMask(mask)}
	if access != nil {
		object.Space, object.LaneBytes = in.Space.String(), in.LaneBytes
	}
	if access != nil && mask != 0 && in.Class == ClassBulk {
		object.Bulk = new(BulkCopy)
		c.Bulk(*access, object.Bulk)
	} else if access != nil && mask != 0 {
		c.Addresses(*access, mask, &j.lanes)
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

func (j *dumpJSON) cpu(c *cpuCursor) {
	in, addresses := c.instruction(), c.addresses()
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
	}{Kind: "cpu", Thread: c.chunk.Thread, Instruction: c.number(), IP: hexAddress(in.IP), Taken: c.chunk.Taken[c.at]}
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
