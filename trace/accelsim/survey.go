// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace"
)

// maxInstructions bounds the distinct instructions of one kernel file.
const maxInstructions = 1 << 18

// survey is the first pass over a kernel file: its instructions, which of them
// need guards, and which follow which.
type survey struct {
	file  *header
	table map[string]int // by static text with PC and line
	// kernel collects the instruction table; each is a basic block of its own.
	kernel trace.Kernel
	edges  map[[2]int32]struct{}
	blocks []uint64 // linear ids in the order of the file
	follow follower
	ran    map[int]bool // warps of the thread block that executed something
	keyBuf []byte
}

func newSurvey(h *header) *survey {
	return &survey{file: h, table: map[string]int{}, edges: map[[2]int32]struct{}{}, ran: map[int]bool{}, kernel: trace.Kernel{
		Name: h.name, RegistersPerThread: h.registers, SharedBytes: h.shared,
	}}
}

func (s *survey) block(x, y, z uint32) error {
	g := s.file.grid
	s.blocks = append(s.blocks, uint64(x)+uint64(y)*uint64(g.X)+uint64(z)*uint64(g.X)*uint64(g.Y))
	if uint64(len(s.blocks)) > g.Count() {
		return fmt.Errorf("more thread blocks than the grid of %d has", g.Count())
	}
	return nil
}

func (s *survey) endBlock() error {
	if want := (s.file.block.Count() + trace.WarpSize - 1) / trace.WarpSize; uint64(len(s.ran)) != want {
		return fmt.Errorf("%d of %d warps of the thread block executed something: every warp must reach its EXIT", len(s.ran), want)
	}
	clear(s.ran)
	return nil
}

func (s *survey) warp(n int) (err error) {
	if s.ran[n] {
		return fmt.Errorf("warp %d comes twice in a thread block", n)
	}
	return s.follow.warp(n, s.file.block)
}

func (s *survey) execute(e *execution) error {
	i, err := s.number(e)
	if err != nil {
		return err
	}
	first := s.follow.first()
	if first && i != 0 {
		return fmt.Errorf("warp %d starts at PC %x, others at another: this cannot be imported", s.follow.number, e.pc)
	}
	mask, err := s.follow.visit(e.mask)
	if err != nil {
		return err
	}
	s.ran[s.follow.number] = true
	in := &s.kernel.Instructions[i]
	if mask != e.mask && in.Class != trace.ClassBranch && in.Class != trace.ClassExit {
		in.Guard = trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}
	}
	last := int32(-2)
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if from := s.follow.last[lane]; from != last {
			last = from
			if from >= 0 {
				s.edges[[2]int32{from, int32(i)}] = struct{}{}
			}
		}
		s.follow.last[lane] = int32(i)
	}
	return nil
}

// number is the place of the execution's instruction in the table.
func (s *survey) number(e *execution) (int, error) {
	s.keyBuf = e.key(s.keyBuf[:0])
	if i, ok := s.table[string(s.keyBuf)]; ok {
		return i, nil
	}
	if len(s.table) == maxInstructions {
		return 0, fmt.Errorf("more than %d different instructions", maxInstructions)
	}
	in, err := e.instruction()
	if err != nil {
		return 0, err
	}
	i := len(s.kernel.Instructions)
	s.table[string(s.keyBuf)] = i
	s.kernel.Instructions = append(s.kernel.Instructions, in)
	s.kernel.Blocks = append(s.kernel.Blocks, trace.BasicBlock{First: uint32(i), Count: 1, PostDominator: trace.NoBlock})
	return i, nil
}

// finish enters the successors.
func (s *survey) finish() *trace.Kernel {
	for e := range s.edges {
		b := &s.kernel.Blocks[e[0]]
		b.Successors = append(b.Successors, uint32(e[1]))
	}
	for i := range s.kernel.Blocks {
		slices.Sort(s.kernel.Blocks[i].Successors)
	}
	if len(s.kernel.Blocks) == 0 { // a kernel without a single instruction
		s.kernel.Instructions = []trace.Instruction{{Opcode: "EXIT", Class: trace.ClassExit}}
		s.kernel.Blocks = []trace.BasicBlock{{Count: 1, PostDominator: trace.NoBlock}}
	}
	return &s.kernel
}

// follower tracks where the lanes of a warp are.
type follower struct {
	number  int
	lanes   uint32 // that the warp has
	mask    uint32 // of the last visit, 0 before the first
	last    [trace.WarpSize]int32
	started bool
}

func (f *follower) warp(n int, block trace.Dim3) error {
	threads := block.Count()
	if uint64(n) >= (threads+trace.WarpSize-1)/trace.WarpSize {
		return fmt.Errorf("warp %d of a thread block of %d threads", n, threads)
	}
	*f = follower{number: n, lanes: math.MaxUint32, started: true}
	if left := threads - uint64(n)*trace.WarpSize; left < trace.WarpSize {
		f.lanes = 1<<left - 1
	}
	for i := range f.last {
		f.last[i] = -1
	}
	return nil
}

// first reports whether the warp has not executed anything.
func (f *follower) first() bool { return f.mask == 0 }

// visit is the mask under which the path shows an execution by the given lanes.
// It has all lanes at the start of the warp, since every lane starts there, and
// those of the instruction before where no lane took part.
func (f *follower) visit(mask uint32) (uint32, error) {
	switch {
	case !f.started:
		return 0, fmt.Errorf("an instruction before the first warp")
	case mask&^f.lanes != 0:
		return 0, fmt.Errorf("mask %08x in warp %d with lanes %08x", mask, f.number, f.lanes)
	case f.mask == 0:
		mask = f.lanes
	case mask == 0:
		mask = f.mask
	}
	f.mask = mask
	return mask, nil
}
