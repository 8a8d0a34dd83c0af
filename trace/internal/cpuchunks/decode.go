// SPDX-License-Identifier: Apache-2.0

package cpuchunks

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/wire"
)

// Decoder is the decoded content of a chunk: instruction i of it is Table[Steps[i]].
// The addresses of all instructions follow each other. Its memory is reused.
type Decoder struct {
	Thread    int
	First     uint64 // number of instruction 0 in its thread
	Table     []trace.CPUInstruction
	Steps     []uint32
	Taken     []bool // per instruction
	Addresses []uint64
	Syncs     []trace.CPUSync

	state state
}

// fields are the fields of a CpuChunk message.
type fields struct {
	thread, first, instructions uint64
	ip, flags, slots            columns.Reader
	registers                   []byte
	asid, step, taken, address  columns.ZeroRunReader

	syncAt, syncKind, syncObject, syncThreads columns.Reader
}

func (m *fields) parse(message []byte) error {
	return wire.EachField(message, func(field protowire.Number, number uint64, data []byte) error {
		switch field {
		case fieldThread:
			m.thread = number
		case fieldFirst:
			m.first = number
		case fieldInstructions:
			m.instructions = number
		case fieldIP:
			m.ip.Data = data
		case fieldFlags:
			m.flags.Data = data
		case fieldRegisters:
			m.registers = data
		case fieldSlots:
			m.slots.Data = data
		case fieldASID:
			m.asid.Data = data
		case fieldStep:
			m.step.Data = data
		case fieldTaken:
			m.taken.Data = data
		case fieldAddress:
			m.address.Data = data
		case fieldSyncAt:
			m.syncAt.Data = data
		case fieldSyncKind:
			m.syncKind.Data = data
		case fieldSyncObject:
			m.syncObject.Data = data
		case fieldSyncThreads:
			m.syncThreads.Data = data
		}
		return nil
	})
}

// Decode fills the chunk from a CpuChunk message. Memory is bounded by the limits
// above: at most 8 addresses an instruction.
func (c *Decoder) Decode(raw []byte) error {
	var m fields
	if err := m.parse(raw); err != nil {
		return err
	}
	switch {
	case m.instructions == 0 || m.instructions > MaxInstructions:
		return fmt.Errorf("%d instructions, want 1 to %d", m.instructions, MaxInstructions)
	case m.thread >= MaxThreads:
		return fmt.Errorf("CPU thread %d, at most %d are allowed", m.thread, MaxThreads)
	case m.first+m.instructions < m.first:
		return fmt.Errorf("instruction %d is the first of %d", m.first, m.instructions)
	}
	c.Thread, c.First = int(m.thread), m.first
	if err := c.decodeTable(&m); err != nil {
		return fmt.Errorf("entries: %w", err)
	}
	if err := c.decodeSteps(&m); err != nil {
		return fmt.Errorf("instructions: %w", err)
	}
	if err := c.decodeSyncs(&m); err != nil {
		return fmt.Errorf("synchronisation: %w", err)
	}
	return nil
}

func (c *Decoder) decodeTable(m *fields) error {
	n := len(m.registers) / (2 * trace.CPUOperands)
	if len(m.registers)%(2*trace.CPUOperands) != 0 || uint64(n) > m.instructions {
		return fmt.Errorf("%d bytes of registers for %d instructions", len(m.registers), m.instructions)
	}
	c.Table = c.Table[:0]
	c.state.reset()
	ip := uint64(0)
	for i := range n {
		ip += uint64(m.ip.Svarint())
		flags, slots, asid := m.flags.Uvarint(), m.slots.Uvarint(), m.asid.Next()
		if flags > flagMarkedTaken || slots > 0xff || asid > 0xffff {
			return fmt.Errorf("entry %d has flags %d, operands %x, address space %d", i, flags, slots, asid)
		}
		in := trace.CPUInstruction{IP: ip, Branch: flags == flagBranch, MarkedTaken: flags == flagMarkedTaken,
			StoreSlots: uint8(slots & 0xf), LoadSlots: uint8(slots >> trace.CPUOperands), ASID: uint16(asid)}
		registers := m.registers[i*2*trace.CPUOperands:]
		copy(in.Destinations[:], registers)
		copy(in.Sources[:], registers[trace.CPUOperands:])
		c.Table = append(c.Table, in)
		c.state.enter(&in)
	}
	return errors.Join(m.ip.Check(), m.flags.Check(), m.slots.Check(), m.asid.Check())
}

func (c *Decoder) decodeSteps(m *fields) error {
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
		for n := range in.MemoryOperands() {
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

// decodeSyncs reads the synchronisation, as many events as there are bytes in the column of
// kinds, which are less than 128.
func (c *Decoder) decodeSyncs(m *fields) error {
	c.Syncs = c.Syncs[:0]
	at, object := uint64(0), uint64(0)
	for range len(m.syncKind.Data) {
		kind := m.syncKind.Uvarint()
		at += m.syncAt.Uvarint()
		object += uint64(m.syncObject.Svarint())
		s := trace.CPUSync{At: uint32(min(at, MaxInstructions)), Kind: trace.CPUSyncKind(min(kind, 255)), Object: object}
		if s.Kind == trace.CPUBarrier {
			s.Threads = uint32(min(m.syncThreads.Uvarint(), MaxThreads+1))
		}
		if at >= m.instructions || !s.Valid(MaxThreads) {
			return fmt.Errorf("event %d is of kind %d and of %d threads, before instruction %d of %d", len(c.Syncs), kind, s.Threads, at, m.instructions)
		}
		c.Syncs = append(c.Syncs, s)
	}
	return errors.Join(m.syncAt.Check(), m.syncKind.Check(), m.syncObject.Check(), m.syncThreads.Check())
}
