// SPDX-License-Identifier: Apache-2.0

package addresses

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// Format is how a stream looks.
type Format uint8

// The formats. In those that know reads and writes only, an atomic is a read and a
// write of the same address, a texture fetch is a read.
const (
	// Dinero is the "din" format of the Dinero cache simulators: 0 (read) or 1
	// (write) and the address in hexadecimal without 0x.
	Dinero Format = iota
	// Ramulator is the DRAM trace of Ramulator 1: the address with 0x, then R or W.
	Ramulator
	// Ramulator2 is the LoadStoreTrace of Ramulator 2: LD or ST, then the address.
	Ramulator2
	// CSV has a header row and the columns launch, block, warp, pc, line, operation,
	// space, lanes, address, bytes.
	CSV

	formatEnd
)

var formatNames = [formatEnd]string{"dinero", "ramulator", "ramulator2", "csv"}

func (f Format) String() string {
	if f < formatEnd {
		return formatNames[f]
	}
	return fmt.Sprintf("format %d", uint8(f))
}

// ParseFormat is the format of a name; the error lists them.
func ParseFormat(name string) (Format, error) {
	for f, n := range formatNames {
		if n == name {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("format %q: there are %s", name, strings.Join(formatNames[:], ", "))
}

// pcBytes is the distance of two instructions in the pc column, that of SASS.
const pcBytes = 16

const csvHeader = "launch,block,warp,pc,line,operation,space,lanes,address,bytes\n"

// access is one line of the stream.
type access struct {
	launch      int
	block       uint64
	warp        int
	instruction uint32
	in          *trace.Instruction
	space       trace.Space
	lanes       uint32
	address     uint64
	bytes       uint64
}

// writer prints accesses.
type writer struct {
	out     *bufio.Writer
	format  Format
	line    []byte
	written uint64 // accesses
}

func (w *writer) write(a *access) error {
	w.written++
	reads, writes := a.in.Class != trace.ClassStore, a.in.Class == trace.ClassStore || a.in.Class == trace.ClassAtomic
	w.line = w.line[:0]
	if w.format == CSV {
		w.csv(a)
	} else {
		if reads {
			w.plain(a.address, "0 ", " R", "LD ")
		}
		if writes {
			w.plain(a.address, "1 ", " W", "ST ")
		}
	}
	_, err := w.out.Write(w.line)
	return err
}

// plain appends one line of a format without context.
func (w *writer) plain(address uint64, dinero, ramulator, ramulator2 string) {
	switch w.format {
	case Dinero:
		w.line = strconv.AppendUint(append(w.line, dinero...), address, 16)
	case Ramulator:
		w.line = append(strconv.AppendUint(append(w.line, "0x"...), address, 16), ramulator...)
	case Ramulator2:
		w.line = strconv.AppendUint(append(append(w.line, ramulator2...), "0x"...), address, 16)
	}
	w.line = append(w.line, '\n')
}

func (w *writer) csv(a *access) {
	for _, n := range [...]uint64{uint64(a.launch), a.block, uint64(a.warp), uint64(a.instruction) * pcBytes, uint64(a.in.Line)} {
		w.line = append(strconv.AppendUint(w.line, n, 10), ',')
	}
	w.line = append(append(w.line, a.in.Class.String()...), ',')
	w.line = append(append(w.line, a.space.String()...), ",0x"...)
	w.line = append(strconv.AppendUint(w.line, uint64(a.lanes), 16), ",0x"...)
	w.line = append(strconv.AppendUint(w.line, a.address, 16), ',')
	w.line = append(strconv.AppendUint(w.line, a.bytes, 10), '\n')
}
