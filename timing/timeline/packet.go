// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/timing/clock"
)

// Field numbers of Perfetto's messages (protos/perfetto/trace/...).
const (
	tracePacket = 1 // Trace.packet

	packetTimestamp = 8
	packetSequence  = 10
	packetEvent     = 11
	packetInterned  = 12
	packetFlags     = 13
	packetTrack     = 60

	eventAnnotation = 4
	eventType       = 9
	eventNameID     = 10
	eventTrack      = 11
	eventName       = 23
	eventValue      = 30

	trackID       = 1
	trackName     = 2
	trackProcess  = 3
	trackParent   = 5
	trackCounter  = 8
	trackOrdering = 11
	trackRank     = 12

	processID   = 1
	processName = 6

	internedNames       = 2 // EventName
	internedAnnotations = 3 // DebugAnnotationName
	internedID          = 1
	internedName        = 2

	annotationNameID = 1
	annotationUint   = 3
)

// Values of enumerations.
const (
	typeBegin        = 1
	typeEnd          = 2
	typeInstant      = 3
	typeCounter      = 4
	orderExplicit    = 3 // TrackDescriptor.ChildTracksOrdering
	stateCleared     = 1 // TracePacket.SequenceFlags
	needsState       = 2
	sequence         = 1 // all packets are of one sequence
	lineAnnotation   = 1 // interned names of annotations
	launchAnnotation = 2
)

// name is the text of an event: an interned one, or, where id is zero, text.
type name struct {
	id   uint64
	text string
}

// note is an annotation of a slice; zero id for none.
type note struct{ id, value uint64 }

func varint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func blob(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func text(b []byte, field protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), v)
}

// event appends a TrackEvent.
func event(b []byte, kind, track uint64, n name, a note) []byte {
	if a.id != 0 {
		var inner [24]byte
		in := varint(inner[:0], annotationNameID, a.id)
		b = blob(b, eventAnnotation, varint(in, annotationUint, a.value))
	}
	b = varint(b, eventType, kind)
	if n.id != 0 {
		b = varint(b, eventNameID, n.id)
	}
	b = varint(b, eventTrack, track)
	if n.id == 0 && n.text != "" {
		b = text(b, eventName, n.text)
	}
	return b
}

// packet writes a TracePacket of a time with a TrackEvent.
func (w *writer) packet(at clock.Cycle, event []byte) {
	b := varint(w.scratch[:0], packetTimestamp, uint64(max(at, 0)))
	b = varint(b, packetSequence, sequence)
	b = blob(b, packetEvent, event)
	b = varint(b, packetFlags, needsState)
	w.scratch = b
	w.put(b)
}

// slice writes a slice of a track from start up to end.
func (w *writer) slice(track uint64, start, end clock.Cycle, n name, a note) {
	w.event = event(w.event[:0], typeBegin, track, n, a)
	w.packet(start, w.event)
	w.event = event(w.event[:0], typeEnd, track, name{}, note{})
	w.packet(end, w.event)
}

// instant writes an event without length.
func (w *writer) instant(track uint64, at clock.Cycle, n name) {
	w.event = event(w.event[:0], typeInstant, track, n, note{})
	w.packet(at, w.event)
}

// count writes the value of a counter from a time on.
func (w *writer) count(track uint64, at clock.Cycle, v int) {
	b := event(w.event[:0], typeCounter, track, name{}, note{})
	w.event = varint(b, eventValue, uint64(v))
	w.packet(at, w.event)
}
