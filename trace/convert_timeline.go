package trace

import (
	"fmt"

	"github.com/warptape/warptape/proto/wtapepb"
)

func eventToProto(e *HostEvent, launches []Launch) *wtapepb.HostEvent {
	m := &wtapepb.HostEvent{
		Kind: wtapepb.EventKind(e.Kind), Name: e.Name,
		Address: e.Address, HostAddress: e.HostAddress, Bytes: e.Bytes,
		Stream: e.Stream, AllStreams: e.AllStreams, Operations: e.Operations,
	}
	if e.Kind == EventLaunch {
		m.Launch = launchToProto(&launches[e.Launch])
	}
	for _, i := range e.After {
		m.After = append(m.After, uint32(i))
	}
	for _, a := range e.Accesses {
		m.Accesses = append(m.Accesses, &wtapepb.HostAccess{HostAddress: a.HostAddress, Bytes: a.Bytes, Writes: a.Writes})
	}
	return m
}

// eventFromProto converts the event with the given index in the timeline; a
// launch event gets the next launch index.
func eventFromProto(m *wtapepb.HostEvent, index, launches int) (HostEvent, error) {
	e := HostEvent{
		Kind: EventKind(clampByte(uint32(m.Kind))), Name: m.Name,
		Address: m.Address, HostAddress: m.HostAddress, Bytes: m.Bytes,
		Stream: m.Stream, AllStreams: m.AllStreams, Operations: m.Operations,
	}
	if e.Kind == EventInvalid || e.Kind >= eventEnd {
		return e, fmt.Errorf("event %d has the unknown kind %d", index, m.Kind)
	}
	if e.Kind == EventLaunch {
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
		e.Accesses = append(e.Accesses, HostAccess{HostAddress: a.GetHostAddress(), Bytes: a.GetBytes(), Writes: a.GetWrites()})
	}
	return e, nil
}

func launchToProto(l *Launch) *wtapepb.Launch {
	return &wtapepb.Launch{
		Kernel: uint32(l.Kernel), Grid: dimToProto(l.Grid), Block: dimToProto(l.Block),
		DynamicSharedBytes: l.DynamicSharedBytes, Stream: l.Stream, Arguments: l.Arguments,
	}
}

func launchFromProto(m *wtapepb.Launch) Launch {
	return Launch{
		Kernel: int(m.GetKernel()), Grid: dimFromProto(m.GetGrid()), Block: dimFromProto(m.GetBlock()),
		DynamicSharedBytes: m.GetDynamicSharedBytes(), Stream: m.GetStream(), Arguments: m.GetArguments(),
	}
}

func dimToProto(d Dim3) *wtapepb.Dim3 { return &wtapepb.Dim3{X: d.X, Y: d.Y, Z: d.Z} }

func dimFromProto(m *wtapepb.Dim3) Dim3 { return Dim3{m.GetX(), m.GetY(), m.GetZ()} }
