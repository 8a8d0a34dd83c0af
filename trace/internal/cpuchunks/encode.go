// SPDX-License-Identifier: Apache-2.0

package cpuchunks

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/wire"
)

// Field numbers of CpuChunk in wtape.proto.
const (
	fieldThread       = 1
	fieldFirst        = 2
	fieldInstructions = 3
	fieldIP           = 4
	fieldFlags        = 5
	fieldRegisters    = 6
	fieldSlots        = 7
	fieldASID         = 8
	fieldStep         = 9
	fieldTaken        = 10
	fieldAddress      = 11
	fieldSyncAt       = 12
	fieldSyncKind     = 13
	fieldSyncObject   = 14
	fieldSyncThreads  = 15
)

const (
	flagBranch      = 1
	flagMarkedTaken = 2
)

// Encoder collects a chunk.
type Encoder struct {
	Thread       int
	First        uint64 // number of the first instruction in its thread
	Instructions int

	table map[trace.CPUInstruction]uint32
	state state

	ip, flags, registers, slots []byte
	lastIP                      uint64
	asid, step, taken, address  columns.ZeroRunWriter

	Syncs                                     int
	syncAt, syncKind, syncObject, syncThreads []byte
	lastSyncAt                                uint32
	lastObject                                uint64
}

// Begin starts an empty chunk.
func (e *Encoder) Begin(thread int, first uint64) {
	e.Thread, e.First, e.Instructions, e.lastIP = thread, first, 0, 0
	if e.table == nil {
		e.table = map[trace.CPUInstruction]uint32{}
	}
	clear(e.table)
	e.state.reset()
	e.ip, e.flags, e.registers, e.slots = e.ip[:0], e.flags[:0], e.registers[:0], e.slots[:0]
	e.Syncs, e.lastSyncAt, e.lastObject = 0, 0, 0
	e.syncAt, e.syncKind, e.syncObject, e.syncThreads = e.syncAt[:0], e.syncKind[:0], e.syncObject[:0], e.syncThreads[:0]
	for _, c := range []*columns.ZeroRunWriter{&e.asid, &e.step, &e.taken, &e.address} {
		c.Reset()
	}
}

// AddSync adds a synchronisation before the instruction that is added next.
func (e *Encoder) AddSync(s *trace.CPUSync) {
	at := uint32(e.Instructions)
	e.syncAt = binary.AppendUvarint(e.syncAt, uint64(at-e.lastSyncAt))
	e.syncKind = append(e.syncKind, byte(s.Kind))
	e.syncObject = binary.AppendUvarint(e.syncObject, protowire.EncodeZigZag(int64(s.Object-e.lastObject)))
	if s.Kind == trace.CPUBarrier {
		e.syncThreads = binary.AppendUvarint(e.syncThreads, uint64(s.Threads))
	}
	e.lastSyncAt, e.lastObject = at, s.Object
	e.Syncs++
}

// Whole reports whether an instruction follows every synchronisation.
func (e *Encoder) Whole() bool { return e.Syncs == 0 || int(e.lastSyncAt) < e.Instructions }

// Add executes an instruction; addresses are as many as it has memory operands.
func (e *Encoder) Add(in *trace.CPUInstruction, taken bool, addresses []uint64) {
	entry, ok := e.table[*in]
	if !ok {
		entry = uint32(len(e.table))
		e.table[*in] = entry
		e.enter(in)
	}
	e.Instructions++
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

func (e *Encoder) enter(in *trace.CPUInstruction) {
	e.state.enter(in)
	e.ip = binary.AppendUvarint(e.ip, protowire.EncodeZigZag(int64(in.IP-e.lastIP)))
	e.lastIP = in.IP
	flags := byte(0)
	if in.Branch {
		flags |= flagBranch
	}
	if in.MarkedTaken {
		flags |= flagMarkedTaken
	}
	e.flags = append(e.flags, flags)
	e.registers = append(append(e.registers, in.Destinations[:]...), in.Sources[:]...)
	e.slots = binary.AppendUvarint(e.slots, uint64(in.StoreSlots|in.LoadSlots<<trace.CPUOperands))
	e.asid.Put(uint64(in.ASID))
}

// Append appends the message.
func (e *Encoder) Append(dst []byte) []byte {
	dst = wire.AppendNumber(dst, fieldThread, uint64(e.Thread))
	dst = wire.AppendNumber(dst, fieldFirst, e.First)
	dst = wire.AppendNumber(dst, fieldInstructions, uint64(e.Instructions))
	dst = wire.AppendColumn(dst, fieldIP, e.ip)
	dst = wire.AppendColumn(dst, fieldFlags, e.flags)
	dst = wire.AppendColumn(dst, fieldRegisters, e.registers)
	dst = wire.AppendColumn(dst, fieldSlots, e.slots)
	dst = wire.AppendColumn(dst, fieldASID, e.asid.Bytes())
	dst = wire.AppendColumn(dst, fieldStep, e.step.Bytes())
	dst = wire.AppendColumn(dst, fieldTaken, e.taken.Bytes())
	dst = wire.AppendColumn(dst, fieldAddress, e.address.Bytes())
	if e.Syncs == 0 {
		return dst
	}
	dst = wire.AppendColumn(dst, fieldSyncAt, e.syncAt)
	dst = wire.AppendColumn(dst, fieldSyncKind, e.syncKind)
	dst = wire.AppendColumn(dst, fieldSyncObject, e.syncObject)
	return wire.AppendColumn(dst, fieldSyncThreads, e.syncThreads)
}
