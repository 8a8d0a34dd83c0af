// SPDX-License-Identifier: Apache-2.0

package timeline_test

import (
	"context"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// event is a slice, instant or counter value of a decoded timeline.
type event struct {
	name       string
	start, end uint64
	notes      map[string]uint64 // annotations by their names
	value      int64
}

// track is a track with its slices in the order of their beginning.
type track struct {
	group, title string
	counter      bool
	slices       []event
	counts       []event
}

// decoded is a timeline as an independent reader sees it.
type decoded struct {
	tracks map[uint64]*track
	order  []uint64
	open   map[uint64]bool
}

// fields reads dynamic messages by the names of their fields.
type fields struct{ protoreflect.Message }

func (f fields) value(name protoreflect.Name) protoreflect.Value {
	return f.Get(f.Descriptor().Fields().ByName(name))
}

func (f fields) has(name protoreflect.Name) bool {
	return f.Has(f.Descriptor().Fields().ByName(name))
}
func (f fields) sub(name protoreflect.Name) fields { return fields{f.value(name).Message()} }

// decode reads a timeline with protobuf's own dynamic messages. It checks that
// slices of a track neither overlap nor lack an end, that every packet belongs to
// the sequence, and that every track is declared before its events.
func decode(t testing.TB, data []byte) *decoded {
	t.Helper()
	c := protocompile.Compiler{Resolver: &protocompile.SourceResolver{ImportPaths: []string{"testdata"}}}
	files, err := c.Compile(context.Background(), "perfetto.proto")
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(files[0].Messages().ByName("Trace"))
	if err := (proto.UnmarshalOptions{}).Unmarshal(data, m); err != nil {
		t.Fatal(err)
	}
	d := &decoded{tracks: map[uint64]*track{}, open: map[uint64]bool{}}
	names, noteNames, groups := map[uint64]string{}, map[uint64]string{}, map[uint64]string{}
	packets := fields{m}.value("packet").List()
	for i := range packets.Len() {
		p := fields{packets.Get(i).Message()}
		if unknown := p.GetUnknown(); len(unknown) > 0 {
			t.Fatalf("packet %d has fields that Perfetto does not know", i)
		}
		if p.value("trusted_packet_sequence_id").Uint() != 1 {
			t.Fatalf("packet %d is of no sequence", i)
		}
		if (p.value("sequence_flags").Uint() == 1) != (i == 0) {
			t.Fatalf("packet %d clears the sequence's state", i)
		}
		for field, of := range map[protoreflect.Name]map[uint64]string{"event_names": names, "debug_annotation_names": noteNames} {
			in := p.sub("interned_data").value(field).List()
			for j := range in.Len() {
				n := fields{in.Get(j).Message()}
				of[n.value("iid").Uint()] = n.value("name").String()
			}
		}
		if p.has("track_descriptor") {
			k := p.sub("track_descriptor")
			id := k.value("uuid").Uint()
			if k.has("process") {
				groups[id] = k.sub("process").value("process_name").String()
				continue
			}
			group, ok := groups[k.value("parent_uuid").Uint()]
			if !ok || d.tracks[id] != nil {
				t.Fatalf("track %d has no group, or exists", id)
			}
			d.tracks[id] = &track{group: group, title: k.value("name").String(), counter: k.has("counter")}
			d.order = append(d.order, id)
		}
		if p.has("track_event") {
			d.event(t, p.value("timestamp").Uint(), p.sub("track_event"), names, noteNames)
		}
	}
	for id, open := range d.open {
		if open {
			t.Errorf("a slice of %s, %s has no end", d.tracks[id].group, d.tracks[id].title)
		}
	}
	return d
}

func (d *decoded) event(t testing.TB, at uint64, e fields, names, noteNames map[uint64]string) {
	t.Helper()
	id := e.value("track_uuid").Uint()
	k := d.tracks[id]
	if k == nil {
		t.Fatalf("an event at %d is of track %d, which is not declared", at, id)
	}
	n, kind := len(k.slices), e.value("type").Enum()
	if k.counter != (kind == 4) || kind != 1 && kind != 3 && (e.has("name") || e.has("name_iid")) {
		t.Fatalf("%s, %s: an event of type %d, %v", k.group, k.title, kind, e.Interface())
	}
	switch kind {
	case 1:
		is := event{name: e.value("name").String(), start: at, notes: map[string]uint64{}}
		if e.has("name_iid") {
			is.name = names[e.value("name_iid").Uint()]
		}
		for i, list := 0, e.value("debug_annotations").List(); i < list.Len(); i++ {
			a := fields{list.Get(i).Message()}
			is.notes[noteNames[a.value("name_iid").Uint()]] = a.value("uint_value").Uint()
		}
		if is.name == "" || d.open[id] || n > 0 && k.slices[n-1].end > at {
			t.Fatalf("%s, %s: slice %q at %d has no name, or overlaps %+v", k.group, k.title, is.name, at, k.slices[max(n-1, 0):])
		}
		d.open[id], k.slices = true, append(k.slices, is)
	case 2:
		if !d.open[id] || k.slices[n-1].start >= at {
			t.Fatalf("%s, %s: end at %d of no slice, or of one without length", k.group, k.title, at)
		}
		d.open[id], k.slices[n-1].end = false, at
	case 3:
		k.slices = append(k.slices, event{name: e.value("name").String(), start: at, end: at})
	case 4:
		if c := len(k.counts); c > 0 && k.counts[c-1].start >= at {
			t.Fatalf("%s, %s: two values at %d", k.group, k.title, at)
		}
		k.counts = append(k.counts, event{start: at, value: e.value("counter_value").Int()})
	}
}
