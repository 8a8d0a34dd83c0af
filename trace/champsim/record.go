// SPDX-License-Identifier: Apache-2.0

package champsim

import (
	"encoding/binary"
	"fmt"

	"github.com/warptape/warptape/trace"
)

// Layout is the form of the records.
type Layout struct {
	bytes                           int
	destinations, stores            int // places
	sourceAt, storeAt, loadAt, asid int // offsets; asid 0: no address space
}

// The layouts.
var (
	Standard   = Layout{bytes: 64, destinations: 2, stores: 2, sourceAt: 12, storeAt: 16, loadAt: 32}
	CloudSuite = Layout{bytes: 96, destinations: 4, stores: 4, sourceAt: 14, storeAt: 24, loadAt: 56, asid: 88}
)

const (
	branchAt      = 8
	takenAt       = 9
	destinationAt = 10
)

// decode reads a record. The addresses are appended to dst: stores, then loads.
func (l *Layout) decode(b []byte, in *trace.CPUInstruction, dst []uint64) (taken bool, addresses []uint64, err error) {
	if b[branchAt] > 1 || b[takenAt] > 1 {
		return false, dst, fmt.Errorf("is_branch is %d and branch_taken %d, want 0 or 1: is it a ChampSim trace with records of %d bytes?", b[branchAt], b[takenAt], l.bytes)
	}
	taken = b[takenAt] == 1
	*in = trace.CPUInstruction{IP: binary.LittleEndian.Uint64(b), Branch: b[branchAt] == 1}
	in.MarkedTaken = taken && !in.Branch
	copy(in.Destinations[:l.destinations], b[destinationAt:])
	copy(in.Sources[:], b[l.sourceAt:l.sourceAt+len(in.Sources)])
	in.StoreSlots, dst = addresses64(b[l.storeAt:], l.stores, dst)
	in.LoadSlots, dst = addresses64(b[l.loadAt:], trace.CPUOperands, dst)
	if l.asid > 0 {
		in.ASID = binary.LittleEndian.Uint16(b[l.asid:])
	}
	return taken, dst, nil
}

func addresses64(b []byte, n int, dst []uint64) (slots uint8, addresses []uint64) {
	for i := range n {
		if a := binary.LittleEndian.Uint64(b[8*i:]); a != 0 {
			slots |= 1 << i
			dst = append(dst, a)
		}
	}
	return slots, dst
}

// encode writes a record; it fails for an instruction that does not fit the layout.
func (l *Layout) encode(b []byte, in *trace.CPUInstruction, taken bool, addresses []uint64) error {
	clear(b)
	binary.LittleEndian.PutUint64(b, in.IP)
	if in.Branch {
		b[branchAt] = 1
	}
	if taken || in.MarkedTaken {
		b[takenAt] = 1
	}
	for i, r := range in.Destinations {
		if i < l.destinations {
			b[destinationAt+i] = r
		} else if r != 0 {
			return fmt.Errorf("writes %d registers, a record has %d: export it with records of %d bytes", i+1, l.destinations, CloudSuite.bytes)
		}
	}
	copy(b[l.sourceAt:], in.Sources[:])
	if in.StoreSlots>>l.stores != 0 || l.asid == 0 && in.ASID != 0 {
		return fmt.Errorf("has %d stores and address space %d, a record has %d and none: export it with records of %d bytes", in.Stores(), in.ASID, l.stores, CloudSuite.bytes)
	}
	addresses = putAddresses(b[l.storeAt:], in.StoreSlots, addresses)
	putAddresses(b[l.loadAt:], in.LoadSlots, addresses)
	if l.asid > 0 {
		binary.LittleEndian.PutUint16(b[l.asid:], in.ASID)
	}
	return nil
}

func putAddresses(b []byte, slots uint8, addresses []uint64) []uint64 {
	for i := range trace.CPUOperands {
		if slots>>i&1 != 0 {
			binary.LittleEndian.PutUint64(b[8*i:], addresses[0])
			addresses = addresses[1:]
		}
	}
	return addresses
}
