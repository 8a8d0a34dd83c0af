// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// Drawing is what Read has kept of a file.
type Drawing struct {
	tracks []*readTrack // in the order of their declaration
	end    uint64       // the last time
}

// readTrack is a track of a file.
type readTrack struct {
	group, title string
	open         bool
	drawn        []mark
}

// mark is a slice, or a value of a counter (with an empty name), of a track.
type mark struct {
	name       string
	start, end uint64
	value      int64
}

// The bounds of what Read takes: a file beyond them was not written by a Recorder
// or is too much for a picture.
const (
	maxPacketBytes = 1 << 20
	maxMarks       = 2_000_000
	maxTracks      = 1 << 20
)

// reader reads a file packet by packet.
type reader struct {
	from, to uint64 // what lies outside is dropped; to zero: nothing does
	groups   map[uint64]string
	tracks   map[uint64]*readTrack
	names    map[uint64]string
	out      *Drawing
	marks    int
}

// Read reads what lies between two times (to zero: the end) of a file that a
// Recorder has written. It takes the parts of Perfetto's format that those have.
func Read(in io.Reader, from, to uint64) (*Drawing, error) {
	r := &reader{from: from, to: to, groups: map[uint64]string{}, tracks: map[uint64]*readTrack{}, names: map[uint64]string{}, out: &Drawing{}}
	b := bufio.NewReaderSize(in, 1<<16)
	var packet []byte
	for n := 0; ; n++ {
		size, err := packetSize(b)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("packet %d: %w", n, err)
		}
		if uint64(cap(packet)) < size {
			packet = make([]byte, size)
		}
		packet = packet[:size]
		if _, err := io.ReadFull(b, packet); err != nil {
			return nil, fmt.Errorf("packet %d: the file ends in it", n)
		}
		if err := r.packet(packet); err != nil {
			return nil, fmt.Errorf("packet %d: %w", n, err)
		}
	}
	return r.out, nil
}

// packetSize reads the head of a packet.
func packetSize(b *bufio.Reader) (uint64, error) {
	tag, err := b.ReadByte()
	if err != nil {
		return 0, err
	}
	if tag != byte(tracePacket)<<3|byte(protowire.BytesType) {
		return 0, errors.New("is not one of a Perfetto trace; replay --timeline writes them")
	}
	var size uint64
	for shift := 0; shift < 35; shift += 7 {
		c, err := b.ReadByte()
		if err != nil {
			return 0, errors.New("the file ends in its length")
		}
		size |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if size > maxPacketBytes {
				return 0, fmt.Errorf("has %d bytes, more than %d", size, maxPacketBytes)
			}
			return size, nil
		}
	}
	return 0, errors.New("has no sensible length")
}

// value is one field of a message.
type value struct {
	number uint64 // of a varint
	bytes  []byte
}

// walk calls do for every field of a message.
func walk(b []byte, do func(field protowire.Number, v value) error) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var v value
		switch kind {
		case protowire.VarintType:
			v.number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			v.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(field, kind, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := do(field, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) packet(b []byte) error {
	var at uint64
	var event []byte
	err := walk(b, func(field protowire.Number, v value) error {
		switch field {
		case packetTimestamp:
			at = v.number
		case packetEvent:
			event = v.bytes
		case packetInterned:
			return r.interned(v.bytes)
		case packetTrack:
			return r.descriptor(v.bytes)
		}
		return nil
	})
	if err != nil || event == nil {
		return err
	}
	return r.event(at, event)
}

func (r *reader) interned(b []byte) error {
	return walk(b, func(field protowire.Number, v value) error {
		if field != internedNames {
			return nil
		}
		var id uint64
		var text string
		err := walk(v.bytes, func(field protowire.Number, v value) error {
			switch field {
			case internedID:
				id = v.number
			case internedName:
				text = string(v.bytes)
			}
			return nil
		})
		if len(r.names) >= maxTracks {
			return fmt.Errorf("more than %d names", maxTracks)
		}
		r.names[id] = text
		return err
	})
}

func (r *reader) descriptor(b []byte) error {
	var id, parent uint64
	var title, process string
	err := walk(b, func(field protowire.Number, v value) error {
		switch field {
		case trackID:
			id = v.number
		case trackParent:
			parent = v.number
		case trackName:
			title = string(v.bytes)
		case trackProcess:
			return walk(v.bytes, func(field protowire.Number, v value) error {
				if field == processName {
					process = string(v.bytes)
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(r.tracks)+len(r.groups) >= maxTracks {
		return fmt.Errorf("more than %d tracks", maxTracks)
	}
	if process != "" {
		r.groups[id] = process
		return nil
	}
	t := &readTrack{group: r.groups[parent], title: title}
	r.tracks[id] = t
	r.out.tracks = append(r.out.tracks, t)
	return nil
}

func (r *reader) event(at uint64, b []byte) error {
	var kind, id, nameID, count uint64
	var text string
	err := walk(b, func(field protowire.Number, v value) error {
		switch field {
		case eventType:
			kind = v.number
		case eventTrack:
			id = v.number
		case eventNameID:
			nameID = v.number
		case eventName:
			text = string(v.bytes)
		case eventValue:
			count = v.number
		}
		return nil
	})
	if err != nil {
		return err
	}
	t := r.tracks[id]
	if t == nil {
		return fmt.Errorf("an event of track %d, which is not declared", id)
	}
	if text == "" {
		text = r.names[nameID]
	}
	r.out.end = max(r.out.end, at)
	switch kind {
	case typeBegin:
		t.open = true
		return r.add(t, mark{name: text, start: at, end: at})
	case typeEnd:
		r.close(t, at)
	case typeCounter:
		return r.add(t, mark{start: at, end: at, value: int64(count)})
	}
	return nil
}

// close ends the open slice of a track; it goes when it ends before the part of
// the file that is wanted.
func (r *reader) close(t *readTrack, at uint64) {
	if !t.open || len(t.drawn) == 0 {
		return
	}
	t.open = false
	last := &t.drawn[len(t.drawn)-1]
	if last.end = at; at <= r.from || r.to != 0 && last.start >= r.to {
		t.drawn = t.drawn[:len(t.drawn)-1]
		r.marks--
	}
}

// add keeps a mark; of a counter's values before the part that is wanted only the
// last.
func (r *reader) add(t *readTrack, m mark) error {
	if m.name == "" {
		if r.to != 0 && m.start >= r.to {
			return nil
		}
		if n := len(t.drawn); n > 0 && m.start <= r.from {
			t.drawn[n-1] = m
			return nil
		}
	}
	if r.marks++; r.marks > maxMarks {
		return fmt.Errorf("more than %d slices and values are too much for a picture; narrow it with --from and --to", maxMarks)
	}
	t.drawn = append(t.drawn, m)
	return nil
}
