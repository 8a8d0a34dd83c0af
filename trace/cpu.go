package trace

import "math/bits"

// CPUInstruction is a distinct instruction of a CPU thread. The fields are those of
// ChampSim's records; registers are its numbers, 0 is none.
type CPUInstruction struct {
	IP uint64
	// Branch marks control flow; BranchKind says which. MarkedTaken is set for the
	// rare record that is marked as taken and not as a branch.
	Branch, MarkedTaken   bool
	Destinations, Sources [CPUOperands]uint8
	// StoreSlots and LoadSlots say which of the memory operands there are, bit i for
	// operand i.
	StoreSlots, LoadSlots uint8
	ASID                  uint16 // address space, 0 where the source does not know
}

// CPUPageBytes is the argument (Header.Arguments) that tells the page size of the
// machine on which CPU threads were captured, in bytes, where that is known.
const CPUPageBytes = "cpu.page_bytes"

// CPUOperands is the largest number of registers written, registers read, stores
// and loads of a CPU instruction each.
const CPUOperands = 4

// Stores and Loads are the numbers of memory operands.
func (in *CPUInstruction) Stores() int { return bits.OnesCount8(in.StoreSlots) }

// Loads is the number of addresses read.
func (in *CPUInstruction) Loads() int { return bits.OnesCount8(in.LoadSlots) }

func (in *CPUInstruction) operands() int { return in.Stores() + in.Loads() }

// CPUTotals are counts of the CPU threads of a trace.
type CPUTotals struct {
	Threads       uint64 `json:"threads"`
	Instructions  uint64 `json:"instructions"`
	Branches      uint64 `json:"branches"`
	TakenBranches uint64 `json:"taken_branches"`
	Loads         uint64 `json:"loads"`  // addresses read
	Stores        uint64 `json:"stores"` // addresses written
}

func (t *CPUTotals) add(b *CPUTotals) {
	t.Threads += b.Threads
	t.Instructions += b.Instructions
	t.Branches += b.Branches
	t.TakenBranches += b.TakenBranches
	t.Loads += b.Loads
	t.Stores += b.Stores
}

// count adds one execution.
func (t *CPUTotals) count(in *CPUInstruction, taken bool) {
	t.Instructions++
	t.Stores += uint64(in.Stores())
	t.Loads += uint64(in.Loads())
	if in.Branch {
		t.Branches++
		if taken {
			t.TakenBranches++
		}
	}
}

// CPUChunkInfo is what the index says of one CPU chunk.
type CPUChunkInfo struct {
	Thread         int
	First          uint64 // instruction of the thread, from 0
	Instructions   int
	Offset, Length int64 // of the frame in the file, in bytes
	RawBytes       int64 // uncompressed
}

// CPUChunk is the decoded content of one CPU chunk: instruction i of it is
// Table[Steps[i]]. The addresses of all instructions follow each other in Addresses,
// of one instruction the stores by slot, then the loads. Make one with NewCPUChunk
// and let Reader.ReadCPUChunk fill it; its memory is reused.
type CPUChunk struct {
	Thread    int
	First     uint64 // number of instruction 0 in its thread
	Table     []CPUInstruction
	Steps     []uint32
	Taken     []bool // per instruction
	Addresses []uint64

	state   cpuState
	scratch *Chunk
	raw     []byte
}

// NewCPUChunk returns an empty chunk.
func NewCPUChunk() *CPUChunk { return &CPUChunk{scratch: NewChunk()} }

// totals counts the chunk.
func (c *CPUChunk) totals() (t CPUTotals) {
	for i, entry := range c.Steps {
		t.count(&c.Table[entry], c.Taken[i])
	}
	return t
}

// cpuState is what encoder and decoder of a CPU chunk both know of its entries.
type cpuState struct {
	follows  [][2]uint32 // per entry and outcome: 1 + what followed last
	taken    []bool      // per entry: its last outcome
	operands []cpuOperand
	first    []int32 // per entry: its first operand
	used     uint32  // entries executed
	last     uint32  // entry executed last
	outcome  int     // 1 when it was taken
	started  bool
}

type cpuOperand struct{ last, stride uint64 }

func (s *cpuState) reset() {
	*s = cpuState{follows: s.follows[:0], taken: s.taken[:0], operands: s.operands[:0], first: s.first[:0]}
}

// enter adds an entry.
func (s *cpuState) enter(in *CPUInstruction) {
	s.follows, s.taken = append(s.follows, [2]uint32{}), append(s.taken, false)
	s.first = append(s.first, int32(len(s.operands)))
	for range in.operands() {
		s.operands = append(s.operands, cpuOperand{})
	}
}

// predicted is the entry that is expected next; it may not exist.
func (s *cpuState) predicted() uint32 {
	if s.started {
		if follows := s.follows[s.last][s.outcome]; follows > 0 {
			return follows - 1
		}
	}
	return s.used
}

// step executes an entry.
func (s *cpuState) step(entry uint32, taken bool) {
	if s.started {
		s.follows[s.last][s.outcome] = entry + 1
	}
	s.started, s.last, s.taken[entry], s.outcome = true, entry, taken, 0
	if taken {
		s.outcome = 1
	}
	s.used = max(s.used, entry+1)
}

// expected is the predicted address.
func (o *cpuOperand) expected() uint64 { return o.last + o.stride }

func (o *cpuOperand) access(address uint64) { o.last, o.stride = address, address-o.last }
