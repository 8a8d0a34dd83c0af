// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Site says what the log has of one instruction. Its records come in the order of the
// fields: the predicate, the guard, the member mask, the barrier's number and threads, the
// addresses, the stride, the phase, the number, the coordinates, what a bulk copy moves.
type Site struct {
	// Predicate is what the lanes bring to the reduction of a barrier, nil without one.
	// The record is of KindGuard.
	Predicate *ptx.Operand
	// Guard: the lanes for which the guard holds.
	Guard bool
	// Jumps is the same of an indexed branch, whose guard is not in the trace.
	Jumps bool
	// Members is the member mask of an instruction that lanes execute together, nil
	// without one; Whole says that all lanes of the warp do.
	Members *ptx.Operand
	Whole   bool
	// Barrier and Threads are the operands of a barrier, nil without one.
	Barrier, Threads *ptx.Operand
	// Address is the address operand of a memory instruction, nil of others; Stride that
	// of a matrix's lines, nil where they lie without gaps. The address of a texture or
	// surface is its handle.
	Address, Stride *ptx.Operand
	// Coordinates are those of a texture or surface, and behind them tld4's offsets.
	Coordinates []ptx.Operand
	// Bulk is what a bulk copy moves, nil of others. Its operands' records come last.
	Bulk *BulkSite
	// Phase is what an mbarrier's phase is compared with, nil of what does not.
	Phase *ptx.Operand
	// Answer is the result of that comparison, nil without a register. Straight through it
	// has a record of KindGuard, behind all others; by segments the host has it.
	Answer *ptx.Operand
	// AtMbarrier says that the words of the addresses have numbers (trace.WithNumber). Number
	// has them: a count, bytes, or the address of the mbarrier of st.async and red.async. Nil
	// where each is one, or the phase says it.
	AtMbarrier bool
	Number     *ptx.Operand
	// ClusterBarrier is a wait for the thread blocks of the cluster.
	ClusterBarrier bool
}

// BulkSite has the operands of a bulk copy that say what it moves, nil where it has none.
type BulkSite struct {
	// From and To are addresses, Size is in bytes; of a copy by a tensor map they are nil.
	From, To, Size *ptx.Operand
	// Barrier is the address of the mbarrier that the copy completes.
	Barrier *ptx.Operand
	// Blocks is the mask of thread blocks to which a copy goes.
	Blocks *ptx.Operand
	// Map is the address of the tensor map.
	Map *ptx.Operand
	// Words are the words of the tensor map where the kernel changes maps, and empty elsewhere.
	Words                []Value
	Coordinates, Offsets []ptx.Operand
	// Store says that the tensor is what is written.
	Store, FourRows, Im2col bool
}

// bulkOf takes the operands of a bulk copy.
func bulkOf(in *ptx.Instruction) *BulkSite {
	b := &BulkSite{From: in.Named("[srcMem]"), To: in.Named("[dstMem]"), Size: in.Named("size"), Barrier: in.Named("[mbar]"), Blocks: in.Named("ctaMask"), Map: in.Named("[tensorMap]"),
		Store: in.Into == ptx.SpaceGlobal, Im2col: in.Mods.Has(ptx.ModIm2col) || in.Mods.Has(ptx.ModIm2colNoOffs), FourRows: in.Mods.Has(ptx.ModGather4) || in.Mods.Has(ptx.ModScatter4)}
	if b.Map != nil {
		b.From, b.To = nil, nil // in shared memory, which the trace does not have
		b.Coordinates = in.Named("tensorCoords").Elements
		if o := in.Named("im2colOffsets"); o != nil {
			b.Offsets = o.Elements
		}
	} else if b.Store {
		b.From = nil
	} else {
		b.To = nil
	}
	return b
}

// Operands lists them in the order of their records.
func (b *BulkSite) Operands() (list []*ptx.Operand) {
	list = append(list, b.From, b.To, b.Size, b.Barrier, b.Blocks, b.Map)
	for i := range b.Coordinates {
		list = append(list, &b.Coordinates[i])
	}
	for i := range b.Offsets {
		list = append(list, &b.Offsets[i])
	}
	return list
}

// changesMaps reports whether a kernel changes tensor maps.
func changesMaps(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Op == ptx.OpTensormap && in.Mods.Has(ptx.ModReplace) })
}

// Value is what one record of the log has of each lane: an operand of up to 64 bits, or two
// of 32 bits, Low below High.
type Value struct {
	Low, High *ptx.Operand
	// Loads says that the value is in memory, Bytes behind the address that Low has.
	Loads bool
	Bytes int
}

// Logged reports whether an operand's values are in the log: those of registers are;
// others are known beforehand.
func Logged(o *ptx.Operand) bool { return o != nil && o.Register != nil }

// SiteOf tells what the log has of an instruction of a kernel.
func SiteOf(k *contaminator.Kernel, index int) Site {
	in, static := &k.PTX.Body[index], &k.Static.Instructions[index]
	s := Site{Guard: static.Guarded(), Jumps: in.Op == ptx.OpBrx && in.Guard.Register != nil}
	switch in.Op {
	case ptx.OpShfl:
		s.Members = operand(in, in.Destinations+3)
	case ptx.OpVote, ptx.OpMatch, ptx.OpRedux:
		s.Members = operand(in, in.Destinations+1)
	case ptx.OpElect:
		s.Members = operand(in, in.Destinations)
	case ptx.OpMma, ptx.OpWmma, ptx.OpLdmatrix, ptx.OpStmatrix, ptx.OpMovmatrix:
		s.Whole = true
	case ptx.OpBar, ptx.OpBarrier:
		if in.Mods.Has(ptx.ModCluster) {
			s.ClusterBarrier = !in.Mods.Has(ptx.ModArrive)
		} else {
			s.barrier(in)
		}
	}
	if static.Class == trace.ClassBulk {
		s.Bulk = bulkOf(in)
		if s.Bulk.Map != nil && changesMaps(k) {
			for at := 0; at < memory.TensorMapBytes; at += 8 {
				s.Bulk.Words = append(s.Bulk.Words, Value{Low: s.Bulk.Map, Loads: true, Bytes: at})
			}
		}
		return s
	}
	if static.Class.IsMemory() {
		s.Address = operand(in, addressOperand(in))
		switch {
		case in.WaitsAtMbarrier():
			s.AtMbarrier, s.Phase = true, operand(in, in.Destinations+1)
			if Logged(&in.Operands[0]) {
				s.Answer = &in.Operands[0]
			}
		case in.Op == ptx.OpMbarrier:
			s.AtMbarrier, s.Number = true, operand(in, in.Destinations+1)
		case in.Op == ptx.OpCp && in.Mods.Has(ptx.ModMbarrier):
			s.AtMbarrier = true
		case in.Op != ptx.OpCp && in.Named("mbar") != nil:
			s.AtMbarrier, s.Number = true, in.Named("mbar")
		case in.Op == ptx.OpWmma:
			s.Stride = operand(in, 2)
		case Sampled(in):
			s.Coordinates = coordinatesOf(in)
		}
	}
	return s
}

// Sampled reports whether an instruction accesses a texture or surface at coordinates.
func Sampled(in *ptx.Instruction) bool {
	return in.Op == ptx.OpTex || in.Op == ptx.OpTld4 || in.Op.Surface()
}

// coordinatesOf lists the coordinates that count, without what fills a vector.
func coordinatesOf(in *ptx.Instruction) []ptx.Operand {
	g := memory.GeometryOf(in)
	list := slices.Clone(in.Operands[addressOperand(in)+1].Elements[:g.Count()])
	if in.Op == ptx.OpTld4 && len(in.Operands) > 3 {
		list = append(list, in.Operands[3].Elements[:2]...)
	}
	return list
}

func operand(in *ptx.Instruction, i int) *ptx.Operand {
	if i >= len(in.Operands) {
		return nil
	}
	return &in.Operands[i]
}

// addressOperand is the place of the operand with the addresses that a trace has.
func addressOperand(in *ptx.Instruction) int {
	switch in.Op {
	case ptx.OpSt, ptx.OpRed, ptx.OpStmatrix, ptx.OpSust, ptx.OpSured:
		return 0
	case ptx.OpAtom, ptx.OpMbarrier:
		return in.Destinations
	case ptx.OpTensormap:
		return 0
	case ptx.OpCp:
		if in.Mods.Has(ptx.ModMbarrier) {
			return in.Destinations
		}
	case ptx.OpWmma:
		if in.Mods.Has(ptx.ModStore) {
			return 0
		}
	}
	return 1 // of cp.async the source
}

func (s *Site) barrier(in *ptx.Instruction) {
	if in.Mods.Has(ptx.ModWarp) {
		s.Members = operand(in, 0)
		return
	}
	operands := in.Operands
	if in.Mods.Has(ptx.ModRed) || in.Mods.Has(ptx.ModPopc) {
		s.Predicate = &operands[len(operands)-1]
		operands = operands[1 : len(operands)-1]
	}
	s.Barrier = &operands[0]
	if len(operands) > 1 {
		s.Threads = &operands[1]
	}
}

// Values lists what the log has, in order.
func (s *Site) Values() []Value {
	var list []Value
	for _, o := range []*ptx.Operand{s.Members, s.Barrier, s.Threads, s.Address, s.Stride, s.Phase, s.Number} {
		if Logged(o) {
			list = append(list, Value{Low: o})
		}
	}
	if s.Bulk != nil {
		for _, o := range s.Bulk.Operands() {
			if Logged(o) {
				list = append(list, Value{Low: o})
			}
		}
		list = append(list, s.Bulk.Words...)
	}
	return append(list, s.Pairs()...)
}

// Pairs are the coordinates that are in registers, two in a value.
func (s *Site) Pairs() (list []Value) {
	var low *ptx.Operand
	for i := range s.Coordinates {
		switch o := &s.Coordinates[i]; {
		case !Logged(o):
		case low == nil:
			low = o
		default:
			list, low = append(list, Value{Low: low, High: o}), nil
		}
	}
	if low != nil {
		list = append(list, Value{Low: low})
	}
	return list
}
