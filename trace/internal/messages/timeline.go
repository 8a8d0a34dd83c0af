// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

func FromEvent(e *trace.HostEvent, launches []trace.Launch) *wtapepb.HostEvent {
	m := &wtapepb.HostEvent{
		Kind: wtapepb.EventKind(e.Kind), Name: e.Name,
		Address: e.Address, HostAddress: e.HostAddress, Bytes: e.Bytes,
		Stream: e.Stream, AllStreams: e.AllStreams, Operations: e.Operations,
	}
	if e.Kind == trace.EventLaunch {
		m.Launch = fromLaunch(&launches[e.Launch])
	}
	for _, i := range e.After {
		m.After = append(m.After, uint32(i))
	}
	for _, a := range e.Accesses {
		m.Accesses = append(m.Accesses, &wtapepb.HostAccess{HostAddress: a.HostAddress, Bytes: a.Bytes, Writes: a.Writes})
	}
	return m
}

// EventKind is the kind of an event, which may be unknown.
func EventKind(m *wtapepb.HostEvent) trace.EventKind {
	return trace.EventKind(clampByte(uint32(m.GetKind())))
}

// ToEvent converts the event with the given index in the timeline; a
// launch event gets the next launch index.
func ToEvent(m *wtapepb.HostEvent, index, launches int) (trace.HostEvent, error) {
	e := trace.HostEvent{
		Kind: EventKind(m), Name: m.Name,
		Address: m.Address, HostAddress: m.HostAddress, Bytes: m.Bytes,
		Stream: m.Stream, AllStreams: m.AllStreams, Operations: m.Operations,
	}
	if !e.Kind.Known() {
		return e, fmt.Errorf("event %d has the unknown kind %d", index, m.Kind)
	}
	if e.Kind == trace.EventLaunch {
		e.Launch = launches
	}
	for _, i := range m.After {
		if int64(i) >= int64(index) {
			return e, fmt.Errorf("event %d waits for event %d, which is not before it", index, i)
		}
		e.After = append(e.After, int(i))
	}
	for _, a := range m.Accesses {
		if a.GetHostAddress()+a.GetBytes() < a.GetHostAddress() {
			return e, fmt.Errorf("event %d accesses %d bytes at %x, beyond the end of memory", index, a.GetBytes(), a.GetHostAddress())
		}
		e.Accesses = append(e.Accesses, trace.HostAccess{HostAddress: a.GetHostAddress(), Bytes: a.GetBytes(), Writes: a.GetWrites()})
	}
	return e, nil
}

func fromLaunch(l *trace.Launch) *wtapepb.Launch {
	m := &wtapepb.Launch{
		Kernel: uint32(l.Kernel), Grid: fromDim(l.Grid), Block: fromDim(l.Block),
		DynamicSharedBytes: l.DynamicSharedBytes, Stream: l.Stream, Arguments: l.Arguments,
	}
	if l.Cluster != (trace.Dim3{}) {
		m.Cluster = fromDim(l.Cluster)
	}
	return m
}

func ToLaunch(m *wtapepb.Launch) trace.Launch {
	return trace.Launch{
		Kernel: int(m.GetKernel()), Grid: toDim(m.GetGrid()), Block: toDim(m.GetBlock()),
		DynamicSharedBytes: m.GetDynamicSharedBytes(), Stream: m.GetStream(), Arguments: m.GetArguments(),
		Cluster: toDim(m.GetCluster()),
	}
}

func fromDim(d trace.Dim3) *wtapepb.Dim3 { return &wtapepb.Dim3{X: d.X, Y: d.Y, Z: d.Z} }

func toDim(m *wtapepb.Dim3) trace.Dim3 { return trace.Dim3{X: m.GetX(), Y: m.GetY(), Z: m.GetZ()} }
