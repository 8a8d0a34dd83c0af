package trace

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace/internal/columns"
)

// maxCPUChunkInstructions bounds what a reader accepts in one CPU chunk. A writer
// ends one after flushCPUInstructions.
const (
	maxCPUChunkInstructions = 1 << 20
	flushCPUInstructions    = 1 << 16
	maxCPUThreads           = 1 << 16
)

// cpuColumns are the fields of a CpuChunk message.
type cpuColumns struct {
	thread, first, instructions uint64
	ip, flags, slots            columns.Reader
	registers                   []byte
	asid, step, taken, address  columns.ZeroRunReader
}

func (m *cpuColumns) parse(message []byte) error {
	*m = cpuColumns{}
	return eachField(message, func(field protowire.Number, number uint64, data []byte) error {
		switch field {
		case fieldCPUThread:
			m.thread = number
		case fieldCPUFirst:
			m.first = number
		case fieldCPUInstructions:
			m.instructions = number
		case fieldCPUIP:
			m.ip.Data = data
		case fieldCPUFlags:
			m.flags.Data = data
		case fieldCPURegisters:
			m.registers = data
		case fieldCPUSlots:
			m.slots.Data = data
		case fieldCPUASID:
			m.asid.Data = data
		case fieldCPUStep:
			m.step.Data = data
		case fieldCPUTaken:
			m.taken.Data = data
		case fieldCPUAddress:
			m.address.Data = data
		}
		return nil
	})
}

// decode fills the chunk from a CpuChunk message. Memory is bounded by the limits
// above: at most 8 addresses an instruction.
func (c *CPUChunk) decode(raw []byte) error {
	var m cpuColumns
	if err := m.parse(raw); err != nil {
		return err
	}
	switch {
	case m.instructions == 0 || m.instructions > maxCPUChunkInstructions:
		return fmt.Errorf("%d instructions, want 1 to %d", m.instructions, maxCPUChunkInstructions)
	case m.thread >= maxCPUThreads:
		return fmt.Errorf("CPU thread %d, at most %d are allowed", m.thread, maxCPUThreads)
	case m.first+m.instructions < m.first:
		return fmt.Errorf("instruction %d is the first of %d", m.first, m.instructions)
	}
	c.Thread, c.First, c.raw = int(m.thread), m.first, raw
	if err := c.decodeTable(&m); err != nil {
		return fmt.Errorf("entries: %w", err)
	}
	if err := c.decodeSteps(&m); err != nil {
		return fmt.Errorf("instructions: %w", err)
	}
	return nil
}

func (c *CPUChunk) decodeTable(m *cpuColumns) error {
	n := len(m.registers) / (2 * CPUOperands)
	if len(m.registers)%(2*CPUOperands) != 0 || uint64(n) > m.instructions {
		return fmt.Errorf("%d bytes of registers for %d instructions", len(m.registers), m.instructions)
	}
	c.Table = c.Table[:0]
	c.state.reset()
	ip := uint64(0)
	for i := range n {
		ip += uint64(m.ip.Svarint())
		flags, slots, asid := m.flags.Uvarint(), m.slots.Uvarint(), m.asid.Next()
		if flags > cpuFlagMarkedTaken || slots > 0xff || asid > 0xffff {
			return fmt.Errorf("entry %d has flags %d, operands %x, address space %d", i, flags, slots, asid)
		}
		in := CPUInstruction{IP: ip, Branch: flags == cpuFlagBranch, MarkedTaken: flags == cpuFlagMarkedTaken,
			StoreSlots: uint8(slots & 0xf), LoadSlots: uint8(slots >> CPUOperands), ASID: uint16(asid)}
		registers := m.registers[i*2*CPUOperands:]
		copy(in.Destinations[:], registers)
		copy(in.Sources[:], registers[CPUOperands:])
		c.Table = append(c.Table, in)
		c.state.enter(&in)
	}
	return errors.Join(m.ip.Check(), m.flags.Check(), m.slots.Check(), m.asid.Check())
}

func (c *CPUChunk) decodeSteps(m *cpuColumns) error {
	c.Steps, c.Taken, c.Addresses = c.Steps[:0], c.Taken[:0], c.Addresses[:0]
	s := &c.state
	for i := range m.instructions {
		entry := uint64(s.predicted())
		if code := m.step.Next(); code > 0 {
			entry = code - 1
		}
		if entry >= uint64(len(c.Table)) || entry > uint64(s.used) {
			return fmt.Errorf("instruction %d is entry %d, of %d entries %d were executed before", i, entry, len(c.Table), s.used)
		}
		in := &c.Table[entry]
		taken := in.MarkedTaken
		if in.Branch {
			taken = (m.taken.Next() != 0) != s.taken[entry]
		}
		s.step(uint32(entry), taken)
		c.Steps, c.Taken = append(c.Steps, uint32(entry)), append(c.Taken, taken)
		operands := s.operands[s.first[entry]:]
		for n := range in.operands() {
			o := &operands[n]
			o.access(o.expected() + uint64(protowire.DecodeZigZag(m.address.Next())))
			c.Addresses = append(c.Addresses, o.last)
		}
	}
	if int(s.used) != len(c.Table) {
		return fmt.Errorf("%d of %d entries are never executed", len(c.Table)-int(s.used), len(c.Table))
	}
	return errors.Join(m.step.Check(), m.taken.Check(), m.address.Check())
}
