// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/trace"
)

// pageBytes is the size of a page, at which memory of both sides begins.
const pageBytes = 4096

// bufferNames are the names of buffers: the functions that a program has them from.
var bufferNames = map[wire.API]map[wire.AllocateKind]string{
	wire.APICUDA: {
		wire.AllocateDevice: "cudaMalloc", wire.AllocateManaged: "cudaMallocManaged", wire.AllocatePinned: "cudaMallocHost", wire.AllocateRegistered: "cudaHostRegister",
	},
	wire.APIOpenCL: {wire.AllocateDevice: "clCreateBuffer"},
}

// slack is Options.Slack in whole units of alignment.
func (s *session) slack() uint64 {
	n := min(s.options.Slack, maxSlack)
	return (n + memory.AllocationAlign - 1) / memory.AllocationAlign * memory.AllocationAlign
}

const maxSlack = 1 << 30

// allocate makes a buffer. Memory that the host has, too, begins at a page, and no slack
// surrounds it.
func (s *session) allocate(q *wire.Allocate) ([]byte, error) {
	name, ok := s.names[q.Kind]
	if !ok {
		return nil, refuse(errInvalidValue, "memory of kind %d", q.Kind)
	}
	align, slack := uint64(memory.AllocationAlign), s.slack()
	if q.Kind != wire.AllocateDevice {
		align, slack = pageBytes, 0
	}
	s.allocations++
	if q.Bytes > math.MaxUint64-2*slack {
		return nil, refuse(errMemory, "%d bytes", q.Bytes)
	}
	place := s.device.Global.Allocate
	if q.Kind == wire.AllocatePinned || q.Kind == wire.AllocateRegistered { // stays in the host's memory
		place = s.device.Global.AllocateOfHost
	}
	a, err := place(name, q.Bytes+2*slack, align)
	if err != nil {
		return nil, &cudaError{status: errMemory, err: err}
	}
	e := trace.HostEvent{Kind: trace.EventAllocate, Name: name, Address: a.Base + slack, Bytes: q.Bytes}
	offset, _ := s.arena.offset(a.Data)
	return wire.AppendNumbers(nil, a.Base+slack, offset+slack), s.outside(e)
}

func (s *session) free(q *wire.Free) error {
	a := s.device.Global.Find(q.Address, 1)
	base := q.Address
	if a != nil && a.Name == s.names[wire.AllocateDevice] {
		base -= s.slack()
	}
	if a == nil || a.Base != base {
		return refuse(errInvalidValue, "there is no buffer at 0x%x", q.Address)
	}
	if err := s.device.Free(base); err != nil {
		return refuse(errInvalidValue, "%w", err)
	}
	return s.outside(trace.HostEvent{Kind: trace.EventFree, Name: a.Name, Address: q.Address})
}

// hostAddress is what the trace calls a range of the program's memory.
func (s *session) hostAddress(at, n uint64) (uint64, error) {
	if s.device.Global.Find(at, 1) != nil || at == 0 {
		return at, nil // pinned and managed memory has one address for both sides
	}
	recorded, isNew := s.host.place(at, n)
	if !isNew {
		return recorded, nil
	}
	return recorded, s.outside(trace.HostEvent{Kind: trace.EventHostAllocate, Name: "host", HostAddress: recorded, Bytes: n})
}

// copied records a copy that the program has done.
func (s *session) copied(q *wire.Copied) error {
	t, err := s.stream(q.Stream)
	if err != nil {
		return err
	}
	if s.device.Global.Find(q.Address, max(q.Bytes, 1)) == nil {
		detail, _ := s.device.Global.Describe(q.Address, q.Bytes)
		return refuse(errInvalidValue, "a copy of %d bytes at 0x%x: %s", q.Bytes, q.Address, detail)
	}
	hostAddress, err := s.hostAddress(q.Host, q.Bytes)
	if err != nil {
		return err
	}
	e := trace.HostEvent{Kind: trace.EventCopyToHost, Address: q.Address, HostAddress: hostAddress, Bytes: q.Bytes}
	if q.ToDevice {
		e.Kind = trace.EventCopyToDevice
	}
	return s.copyStep(t, e, q.Blocking)
}

func (s *session) copyStep(t *stream, e trace.HostEvent, blocking bool) error {
	if err := s.step(t, e, copyNanoseconds+float64(e.Bytes)*1e9/s.options.Device.LinkBytesPerSecond); err != nil || !blocking {
		return err
	}
	return s.synchronize(t)
}

// rowsBytes is the span of rows, from the first byte to the last. Rows do not overlap, so
// that there are no more of them than memory has room for.
func rowsBytes(width, height, pitch uint64) (uint64, bool) {
	if width == 0 || height == 0 || width > 1<<46 || height > 1 && pitch < width {
		return 0, false
	}
	hi, lo := bits.Mul64(height-1, pitch)
	return lo + width, hi == 0 && lo < 1<<46
}

// bytesAt gives the bytes of global memory.
func (s *session) bytesAt(address, n uint64) ([]byte, error) {
	a := s.device.Global.Find(address, n)
	if a == nil {
		detail, _ := s.device.Global.Describe(address, n)
		return nil, refuse(errInvalidValue, "%d bytes at 0x%x: %s", n, address, detail)
	}
	return a.Data[address-a.Base:][:n], nil
}

// move copies rows on the device. The timeline has no such step: it is a fill of what is
// written, by its name a copy.
func (s *session) move(q *wire.Move) error {
	t, err := s.stream(q.Stream)
	if err != nil {
		return err
	}
	toBytes, ok := rowsBytes(q.Width, q.Height, q.ToPitch)
	fromBytes, ok2 := rowsBytes(q.Width, q.Height, q.FromPitch)
	if !ok || !ok2 {
		return refuse(errInvalidValue, "a copy of %d rows of %d bytes", q.Height, q.Width)
	}
	to, err := s.bytesAt(q.To, toBytes)
	if err != nil {
		return err
	}
	from, err := s.bytesAt(q.From, fromBytes)
	if err != nil {
		return err
	}
	for y := range q.Height {
		copy(to[y*q.ToPitch:][:q.Width], from[y*q.FromPitch:][:q.Width])
	}
	return s.fillStep(t, q.To, "copy on the device", q.Width*q.Height)
}

func (s *session) fillStep(t *stream, address uint64, name string, bytes uint64) error {
	e := trace.HostEvent{Kind: trace.EventFill, Name: name, Address: address, Bytes: bytes}
	return s.step(t, e, launchNanoseconds+float64(bytes)*8e9/(float64(s.options.Device.BusBits)*float64(s.options.Device.MemoryClockKHz)*2e3))
}

// fill sets rows of elements.
func (s *session) fill(q *wire.Fill) error {
	t, err := s.stream(q.Stream)
	if err != nil {
		return err
	}
	if q.Element > 4 || q.Element == 3 || q.Width > 1<<46 {
		return refuse(errInvalidValue, "a fill of %d elements of %d bytes", q.Width, q.Element)
	}
	width := q.Width * max(q.Element, 1)
	n, ok := rowsBytes(width, q.Height, q.Pitch)
	if !ok {
		return refuse(errInvalidValue, "a fill of %d rows of %d bytes", q.Height, width)
	}
	data, err := s.bytesAt(q.Address, n)
	if err != nil {
		return err
	}
	var pattern [8]byte
	binary.LittleEndian.PutUint64(pattern[:], q.Value)
	for y := range q.Height {
		if q.Element == 0 { // the program has filled it
			break
		}
		repeat(data[y*q.Pitch:][:width], pattern[:q.Element])
	}
	return s.fillStep(t, q.Address, "", width*q.Height)
}

// repeat fills data with a pattern, by copies of what is filled already.
func repeat(data, pattern []byte) {
	n := copy(data, pattern)
	for n < len(data) {
		n += copy(data[n:], data[:n])
	}
}

// write copies to constant memory.
func (s *session) write(q *wire.Write) error {
	t, err := s.stream(q.Stream)
	if err != nil {
		return err
	}
	if err := s.device.Write(q.Address, q.Data); err != nil {
		return refuse(errInvalidValue, "%w", err)
	}
	n := uint64(len(q.Data))
	hostAddress, err := s.hostAddress(q.Host, n)
	if err != nil {
		return err
	}
	return s.copyStep(t, trace.HostEvent{Kind: trace.EventCopyToDevice, Address: q.Address, HostAddress: hostAddress, Bytes: n}, q.Blocking)
}

// read copies from constant memory.
func (s *session) read(q *wire.Read) ([]byte, error) {
	t, err := s.stream(q.Stream)
	if err != nil {
		return nil, err
	}
	if q.Bytes > memory.WindowBytes {
		return nil, refuse(errInvalidValue, "%d bytes of constant memory", q.Bytes)
	}
	data := make([]byte, q.Bytes)
	if err := s.device.Read(q.Address, data); err != nil {
		return nil, refuse(errInvalidValue, "%w", err)
	}
	hostAddress, err := s.hostAddress(q.Host, q.Bytes)
	if err != nil {
		return nil, err
	}
	e := trace.HostEvent{Kind: trace.EventCopyToHost, Address: q.Address, HostAddress: hostAddress, Bytes: q.Bytes}
	return wire.AppendBytes(nil, data), s.copyStep(t, e, true)
}
