// SPDX-License-Identifier: Apache-2.0

package lackey

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// spool keeps what one thread does until its turn in the trace comes. A record is the
// number of a distinct instruction, from 1, with its outcome, and its addresses as
// differences; or 0 and an event.
type spool struct {
	file    *os.File
	out     *bufio.Writer
	table   []trace.CPUInstruction
	numbers map[spoolKey]uint64
	last    uint64 // address
	buffer  []byte
	ended   bool // the thread has
}

// spoolKey tells distinct instructions of a disassembly apart.
type spoolKey struct {
	ip            uint64
	stores, loads uint8
}

func newSpool(folder string, number int) (*spool, error) {
	f, err := os.Create(filepath.Join(folder, fmt.Sprint(number)))
	if err != nil {
		return nil, err
	}
	return &spool{file: f, out: bufio.NewWriterSize(f, 16<<10), numbers: map[spoolKey]uint64{}}, nil
}

// AddCPU implements sink.
func (s *spool) AddCPU(in *trace.CPUInstruction, taken bool, addresses []uint64) error {
	key := spoolKey{in.IP, in.StoreSlots, in.LoadSlots}
	number, ok := s.numbers[key]
	if !ok {
		s.table = append(s.table, *in)
		number = uint64(len(s.table))
		s.numbers[key] = number
	}
	number <<= 1
	if taken {
		number |= 1
	}
	s.buffer = binary.AppendUvarint(s.buffer[:0], number)
	for _, a := range addresses {
		s.buffer = binary.AppendVarint(s.buffer, int64(a-s.last))
		s.last = a
	}
	_, err := s.out.Write(s.buffer)
	return err
}

func (s *spool) addSync(e *trace.CPUSync) error {
	s.buffer = append(s.buffer[:0], 0, byte(e.Kind))
	s.buffer = binary.AppendUvarint(s.buffer, e.Object)
	s.buffer = binary.AppendUvarint(s.buffer, uint64(e.Threads))
	_, err := s.out.Write(s.buffer)
	return err
}

// copyTo records all of it as the writer's current thread.
func (s *spool) copyTo(w *wtape.Writer) error {
	if err := s.out.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(s.file, 64<<10)
	last, addresses := uint64(0), make([]uint64, 0, 2*trace.CPUOperands)
	for {
		number, err := binary.ReadUvarint(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if number == 0 {
			if err := copySync(w, in); err != nil {
				return err
			}
			continue
		}
		entry := &s.table[number>>1-1]
		addresses = addresses[:0]
		for range entry.MemoryOperands() {
			d, err := binary.ReadVarint(in)
			if err != nil {
				return err
			}
			last += uint64(d)
			addresses = append(addresses, last)
		}
		if err := w.AddCPU(entry, number&1 != 0, addresses); err != nil {
			return err
		}
	}
}

func copySync(w *wtape.Writer, in *bufio.Reader) error {
	kind, err := in.ReadByte()
	if err != nil {
		return err
	}
	object, err := binary.ReadUvarint(in)
	if err != nil {
		return err
	}
	threads, err := binary.ReadUvarint(in)
	if err != nil {
		return err
	}
	return w.AddCPUSync(trace.CPUSync{Kind: trace.CPUSyncKind(kind), Object: object, Threads: uint32(threads)})
}
