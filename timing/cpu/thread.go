// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"fmt"
	"strconv"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Thread is a recorded CPU thread as a Stream.
type Thread struct {
	reader  *wtape.Reader
	number  int
	first   int // its first chunk
	next    int // the chunk to read
	chunk   *wtape.CPUChunk
	table   []Instruction // of the chunk, without addresses and outcome
	at      int
	address int
	event   int             // of the chunk: the first that has not been given
	syncs   []trace.CPUSync // before instructions that have been given
	given   int             // of syncs
}

// NewThread opens a CPU thread of a trace.
func NewThread(r *wtape.Reader, number int) (*Thread, error) {
	if number < 0 || number >= r.CPUThreads() {
		return nil, fmt.Errorf("%s: CPU thread %d does not exist: it has %d", r.Name(), number, r.CPUThreads())
	}
	t := &Thread{reader: r, number: number, chunk: wtape.NewCPUChunk()}
	chunks := r.CPUChunks()
	for t.first < len(chunks) && chunks[t.first].Thread < number {
		t.first++
	}
	t.next = t.first
	return t, nil
}

// Rewind implements Stream.
func (t *Thread) Rewind() error {
	t.next, t.at = t.first, len(t.chunk.Steps)
	t.syncs, t.given = t.syncs[:0], 0
	return nil
}

// Next implements Stream.
func (t *Thread) Next(into []Instruction) (int, error) {
	n := 0
	for n < len(into) {
		if t.at == len(t.chunk.Steps) {
			more, err := t.read()
			if err != nil || !more {
				return n, err
			}
		}
		entry := t.chunk.Steps[t.at]
		in := &into[n]
		*in = t.table[entry]
		in.Taken = t.chunk.Taken[t.at]
		if t.event < len(t.chunk.Syncs) && int(t.chunk.Syncs[t.event].At) == t.at {
			if err := t.synchronises(in); err != nil {
				return n, err
			}
		}
		t.address += copy(in.StoreAddresses[:in.Stores], t.chunk.Addresses[t.address:])
		t.address += copy(in.LoadAddresses[:in.Loads], t.chunk.Addresses[t.address:])
		t.at++
		n++
	}
	return n, nil
}

// read decodes the next chunk; false at the end of the thread.
func (t *Thread) read() (bool, error) {
	chunks := t.reader.CPUChunks()
	if t.next == len(chunks) || chunks[t.next].Thread != t.number {
		return false, nil
	}
	if err := t.reader.ReadCPUChunk(t.next, t.chunk); err != nil {
		return false, err
	}
	t.next++
	t.at, t.address, t.event, t.table = 0, 0, 0, t.table[:0]
	for i := range t.chunk.Table {
		t.table = append(t.table, instructionOf(&t.chunk.Table[i]))
	}
	return true, nil
}

// maxSyncs before an instruction are more than a capture makes.
const maxSyncs = 255

// synchronises keeps the events before an instruction for NextSync.
func (t *Thread) synchronises(in *Instruction) error {
	if t.given == len(t.syncs) {
		t.syncs, t.given = t.syncs[:0], 0
	}
	for t.event < len(t.chunk.Syncs) && int(t.chunk.Syncs[t.event].At) == t.at {
		if in.Syncs == maxSyncs {
			return fmt.Errorf("%s: more than %d events of synchronisation before an instruction of CPU thread %d", t.reader.Name(), maxSyncs, t.number)
		}
		t.syncs = append(t.syncs, t.chunk.Syncs[t.event])
		in.Syncs++
		t.event++
	}
	return nil
}

// NextSync implements Synchronised.
func (t *Thread) NextSync() trace.CPUSync {
	t.given++
	return t.syncs[t.given-1]
}

// Registers that ChampSim's records give a meaning.
const (
	stackPointer       = 6
	instructionPointer = 26
)

// instructionOf is the part of an instruction that is the same in every execution.
// The fetch knows the instruction pointer, and the decoder what pushes, pops, calls
// and returns make of the stack pointer: neither makes instructions wait.
func instructionOf(in *trace.CPUInstruction) Instruction {
	out := Instruction{
		IP: in.IP, Branch: in.BranchKind(), Stores: uint8(in.Stores()), Loads: uint8(in.Loads()),
		Destinations: in.Destinations, Sources: in.Sources,
	}
	folds := foldsStack(in)
	for i, r := range out.Destinations {
		if r == instructionPointer || folds && r == stackPointer {
			out.Destinations[i] = 0
		}
	}
	for i, r := range out.Sources {
		if r == instructionPointer {
			out.Sources[i] = 0
		}
	}
	return out
}

// foldsStack reports whether an instruction moves the stack pointer by an amount that
// the decoder knows. Such an instruction reads and writes the pointer, and is a branch,
// accesses memory, or reads nothing else.
func foldsStack(in *trace.CPUInstruction) bool {
	reads, writes, others := false, false, false
	for i := range in.Sources {
		reads = reads || in.Sources[i] == stackPointer
		writes = writes || in.Destinations[i] == stackPointer
		others = others || in.Sources[i] != 0 && in.Sources[i] != stackPointer
	}
	return reads && writes && (in.Branch || in.Stores()+in.Loads() > 0 || !others)
}

// CheckPages refuses a trace whose CPU threads were captured on a machine with pages
// of another size, where the trace knows it: memory lies otherwise there.
func CheckPages(r *wtape.Reader, s *Section) error {
	text, ok := r.Header().Arguments[trace.CPUPageBytes]
	if !ok {
		return nil
	}
	if n, err := strconv.Atoi(text); err != nil || n != s.PageBytes {
		return fmt.Errorf("%s: CPU threads were captured with pages of %s bytes, and cpu.page_bytes is %d: capture them on a machine with such pages, or set cpu.page_bytes", r.Name(), text, s.PageBytes)
	}
	return nil
}
