package trace

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/columns"
)

// Field numbers of CpuChunk in wtape.proto.
const (
	fieldCPUThread       = 1
	fieldCPUFirst        = 2
	fieldCPUInstructions = 3
	fieldCPUIP           = 4
	fieldCPUFlags        = 5
	fieldCPURegisters    = 6
	fieldCPUSlots        = 7
	fieldCPUASID         = 8
	fieldCPUStep         = 9
	fieldCPUTaken        = 10
	fieldCPUAddress      = 11
)

const (
	cpuFlagBranch      = 1
	cpuFlagMarkedTaken = 2
)

// cpuEncoder collects a CPU chunk.
type cpuEncoder struct {
	thread       int
	first        uint64
	instructions int
	table        map[CPUInstruction]uint32
	state        cpuState

	ip, flags, registers, slots []byte
	lastIP                      uint64
	asid, step, taken, address  columns.ZeroRunWriter
}

// begin starts an empty chunk.
func (e *cpuEncoder) begin(thread int, first uint64) {
	e.thread, e.first, e.instructions, e.lastIP = thread, first, 0, 0
	if e.table == nil {
		e.table = map[CPUInstruction]uint32{}
	}
	clear(e.table)
	e.state.reset()
	e.ip, e.flags, e.registers, e.slots = e.ip[:0], e.flags[:0], e.registers[:0], e.slots[:0]
	for _, c := range []*columns.ZeroRunWriter{&e.asid, &e.step, &e.taken, &e.address} {
		c.Reset()
	}
}

// add executes an instruction; addresses are as many as it has memory operands.
func (e *cpuEncoder) add(in *CPUInstruction, taken bool, addresses []uint64) {
	entry, ok := e.table[*in]
	if !ok {
		entry = uint32(len(e.table))
		e.table[*in] = entry
		e.enter(in)
	}
	e.instructions++
	s := &e.state
	if entry == s.predicted() {
		e.step.Put(0)
	} else {
		e.step.Put(uint64(entry) + 1)
	}
	if in.Branch {
		code := uint64(0)
		if taken != s.taken[entry] {
			code = 1
		}
		e.taken.Put(code)
	}
	s.step(entry, taken)
	operands := s.operands[s.first[entry]:]
	for i, a := range addresses {
		o := &operands[i]
		e.address.Put(protowire.EncodeZigZag(int64(a - o.expected())))
		o.access(a)
	}
}

func (e *cpuEncoder) enter(in *CPUInstruction) {
	e.state.enter(in)
	e.ip = binary.AppendUvarint(e.ip, protowire.EncodeZigZag(int64(in.IP-e.lastIP)))
	e.lastIP = in.IP
	flags := byte(0)
	if in.Branch {
		flags |= cpuFlagBranch
	}
	if in.MarkedTaken {
		flags |= cpuFlagMarkedTaken
	}
	e.flags = append(e.flags, flags)
	e.registers = append(append(e.registers, in.Destinations[:]...), in.Sources[:]...)
	e.slots = binary.AppendUvarint(e.slots, uint64(in.StoreSlots|in.LoadSlots<<CPUOperands))
	e.asid.Put(uint64(in.ASID))
}

// append appends the message.
func (e *cpuEncoder) append(dst []byte) []byte {
	dst = appendNumber(dst, fieldCPUThread, uint64(e.thread))
	dst = appendNumber(dst, fieldCPUFirst, e.first)
	dst = appendNumber(dst, fieldCPUInstructions, uint64(e.instructions))
	dst = appendColumn(dst, fieldCPUIP, e.ip)
	dst = appendColumn(dst, fieldCPUFlags, e.flags)
	dst = appendColumn(dst, fieldCPURegisters, e.registers)
	dst = appendColumn(dst, fieldCPUSlots, e.slots)
	dst = appendColumn(dst, fieldCPUASID, e.asid.Bytes())
	dst = appendColumn(dst, fieldCPUStep, e.step.Bytes())
	dst = appendColumn(dst, fieldCPUTaken, e.taken.Bytes())
	return appendColumn(dst, fieldCPUAddress, e.address.Bytes())
}
