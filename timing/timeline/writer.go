// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"bufio"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// writer writes packets; the first error stays.
type writer struct {
	out     *bufio.Writer
	written int64 // bytes
	err     error
	tracks  uint64 // tracks declared so far
	names   uint64 // interned names so far

	head, scratch, event []byte
}

func newWriter(w io.Writer) *writer { return &writer{out: bufio.NewWriterSize(w, 1<<16)} }

// put writes a packet as a field of Trace.
func (w *writer) put(packet []byte) {
	if w.err != nil {
		return
	}
	h := protowire.AppendTag(w.head[:0], tracePacket, protowire.BytesType)
	h = protowire.AppendVarint(h, uint64(len(packet)))
	w.head = h
	if _, w.err = w.out.Write(h); w.err == nil {
		_, w.err = w.out.Write(packet)
	}
	w.written += int64(len(h) + len(packet))
}

// begin opens the sequence with the names of annotations.
func (w *writer) begin() {
	var data []byte
	data = blob(data, internedAnnotations, interned(lineAnnotation, "ptx_line"))
	data = blob(data, internedAnnotations, interned(launchAnnotation, "launch"))
	b := varint(nil, packetSequence, sequence)
	b = blob(b, packetInterned, data)
	w.put(varint(b, packetFlags, stateCleared))
}

// intern declares a name of events.
func (w *writer) intern(s string) name {
	w.names++
	b := varint(nil, packetSequence, sequence)
	b = blob(b, packetInterned, blob(nil, internedNames, interned(w.names, s)))
	w.put(varint(b, packetFlags, needsState))
	return name{id: w.names}
}

func interned(id uint64, s string) []byte {
	return text(varint(nil, internedID, id), internedName, s)
}

// process declares a group of tracks; Perfetto shows it as a process.
func (w *writer) process(title string) uint64 {
	w.tracks++
	id := w.tracks
	b := varint(nil, trackID, id)
	b = blob(b, trackProcess, text(varint(nil, processID, id), processName, title))
	w.descriptor(varint(b, trackOrdering, orderExplicit))
	return id
}

// track declares a track in a group. Viewers show the tracks of a group in the order of
// their declaration.
func (w *writer) track(parent uint64, title string, counter bool) uint64 {
	w.tracks++
	id := w.tracks
	b := text(varint(nil, trackID, id), trackName, title)
	b = varint(b, trackParent, parent)
	if counter {
		b = blob(b, trackCounter, nil)
	}
	w.descriptor(varint(b, trackRank, id))
	return id
}

func (w *writer) descriptor(d []byte) {
	b := varint(nil, packetSequence, sequence)
	w.put(blob(b, packetTrack, d))
}

func (w *writer) finish() error {
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
	return w.err
}
