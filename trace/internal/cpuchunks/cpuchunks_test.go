// SPDX-License-Identifier: Apache-2.0

package cpuchunks

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

// example encodes a chunk of a loop of ten iterations with a load and a branch.
func example() []byte { return encodeExample(new(Encoder)) }

func encodeExample(e *Encoder) []byte {
	e.Begin(3, 1000)
	load := trace.CPUInstruction{IP: 0x400, Destinations: [4]uint8{1}, LoadSlots: 1}
	branch := trace.CPUInstruction{IP: 0x404, Branch: true, Destinations: [4]uint8{26}, Sources: [4]uint8{26, 25}}
	for i := range uint64(10) {
		e.Add(&load, false, []uint64{0x8000 + 8*i})
		e.Add(&branch, i < 9, nil)
	}
	return e.Append(nil)
}

// The generated code is the oracle for the hand-written one.
func TestChunksAreTheMessageOfTheSchema(t *testing.T) {
	m := new(wtapepb.CpuChunk)
	if err := proto.Unmarshal(example(), m); err != nil {
		t.Fatal(err)
	}
	want := &wtapepb.CpuChunk{
		Thread: 3, FirstInstruction: 1000, Instructions: 20,
		Ip: []int64{0x400, 4}, Flags: []uint32{0, 1}, Registers: []byte{1, 0, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 26, 25, 0, 0},
		Slots: []uint32{0x10, 0}, Asid: []uint32{0, 1},
		Step:  []uint32{0, 1, 1, 0, 16}, // in order, then back to the load once; all else is as predicted
		Taken: []uint32{1, 0, 7, 1},     // taken, as before eight times, not taken
		// The second is predicted from a stride of 0x8000: the zigzag code of 8-0x8000.
		Address: []uint64{2 * 0x8000, 2*(0x8000-8) - 1, 0, 7},
	}
	if d := cmp.Diff(want.String(), m.String()); d != "" {
		t.Error(d)
	}
	c := new(Decoder)
	if err := c.Decode(example()); err != nil {
		t.Fatal(err)
	}
	if c.Thread != 3 || c.First != 1000 || len(c.Steps) != 20 || c.Addresses[9] != 0x8000+72 || c.Taken[19] || !c.Taken[17] {
		t.Errorf("%+v", c)
	}
}

// synchronised has a lock, two barriers and a fence.
func synchronised() []byte { return encodeSynchronised(new(Encoder)) }

func encodeSynchronised(e *Encoder) []byte {
	e.Begin(0, 0)
	in := trace.CPUInstruction{IP: 0x400}
	e.AddSync(&trace.CPUSync{Kind: trace.CPULock, Object: 0x1000})
	e.Add(&in, false, nil)
	e.Add(&in, false, nil)
	e.AddSync(&trace.CPUSync{Kind: trace.CPUBarrier, Object: 0x2000, Threads: 64})
	e.AddSync(&trace.CPUSync{Kind: trace.CPUBarrier, Object: 0x1ff0, Threads: 2})
	e.Add(&in, false, nil)
	e.AddSync(&trace.CPUSync{Kind: trace.CPUFence})
	if e.Whole() {
		panic("an event is last")
	}
	e.Add(&in, false, nil)
	return e.Append(nil)
}

func TestSynchronisationIsThatOfTheSchema(t *testing.T) {
	m := new(wtapepb.CpuChunk)
	if err := proto.Unmarshal(synchronised(), m); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.SyncInstruction, []uint32{0, 2, 0, 1}) || !slices.Equal(m.SyncKind, []uint32{1, 3, 3, 4}) ||
		!slices.Equal(m.SyncObject, []int64{0x1000, 0x1000, -16, -0x1ff0}) || !slices.Equal(m.SyncThreads, []uint32{64, 2}) {
		t.Errorf("%v", m)
	}
	c := new(Decoder)
	if err := c.Decode(synchronised()); err != nil {
		t.Fatal(err)
	}
	want := []trace.CPUSync{
		{Kind: trace.CPULock, Object: 0x1000}, {At: 2, Kind: trace.CPUBarrier, Object: 0x2000, Threads: 64},
		{At: 2, Kind: trace.CPUBarrier, Object: 0x1ff0, Threads: 2}, {At: 3, Kind: trace.CPUFence},
	}
	if d := cmp.Diff(want, c.Syncs); d != "" {
		t.Error(d)
	}
	for kind := trace.CPULock; kind < trace.CPUSyncCount; kind++ {
		if name := wtapepb.CpuSyncKind(kind).String(); name != "CPU_SYNC_KIND_"+strings.ToUpper(kind.String()) || trace.CPUSyncNamed(kind.String()) != kind {
			t.Errorf("%v is %s in the schema", kind, name)
		}
	}
}

func TestDamagedSynchronisationIsRefused(t *testing.T) {
	for want, change := range map[string]func(m *wtapepb.CpuChunk){
		"event 0 is of kind 7 ":                 func(m *wtapepb.CpuChunk) { m.SyncKind[0] = 7 },
		"event 0 is of kind 0 ":                 func(m *wtapepb.CpuChunk) { m.SyncKind[0] = 0 },
		"before instruction 4 of 4":             func(m *wtapepb.CpuChunk) { m.SyncInstruction[3] = 2 },
		"event 1 is of kind 3 and of 0 threads": func(m *wtapepb.CpuChunk) { m.SyncThreads[0] = 0 },
		"of 65537 threads":                      func(m *wtapepb.CpuChunk) { m.SyncThreads[0] = 1 << 30 },
		"column ends early":                     func(m *wtapepb.CpuChunk) { m.SyncObject = m.SyncObject[:3] },
		"column has elements left":              func(m *wtapepb.CpuChunk) { m.SyncInstruction = append(m.SyncInstruction, 0) },
	} {
		m := new(wtapepb.CpuChunk)
		if err := proto.Unmarshal(synchronised(), m); err != nil {
			t.Fatal(err)
		}
		change(m)
		raw, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Decoder).Decode(raw); err == nil || !strings.Contains(err.Error(), "synchronisation: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestDamagedChunksAreRefused(t *testing.T) {
	for want, change := range map[string]func(m *wtapepb.CpuChunk){
		"0 instructions, want 1 to":              func(m *wtapepb.CpuChunk) { m.Instructions = 0 },
		"CPU thread 70000, at most":              func(m *wtapepb.CpuChunk) { m.Thread = 70000 },
		"entries: 15 bytes of registers":         func(m *wtapepb.CpuChunk) { m.Registers = m.Registers[:15] },
		"entries: entry 1 has flags 9":           func(m *wtapepb.CpuChunk) { m.Flags[1] = 9 },
		"entries: column ends early":             func(m *wtapepb.CpuChunk) { m.Ip = m.Ip[:1] },
		"instructions: instruction 0 is entry 6": func(m *wtapepb.CpuChunk) { m.Step = []uint32{7, 0, 18} },
		"instructions: column has elements left": func(m *wtapepb.CpuChunk) { m.Taken = append(m.Taken, 1) },
		"instructions: 1 of 3 entries are never exe": func(m *wtapepb.CpuChunk) {
			m.Ip, m.Flags, m.Slots, m.Registers, m.Asid = append(m.Ip, 0), append(m.Flags, 0), append(m.Slots, 0), append(m.Registers, make([]byte, 8)...), []uint32{0, 2}
		},
		"instruction 18446744073709551615 is the": func(m *wtapepb.CpuChunk) { m.FirstInstruction = 1<<64 - 1 },
	} {
		m := new(wtapepb.CpuChunk)
		if err := proto.Unmarshal(example(), m); err != nil {
			t.Fatal(err)
		}
		change(m)
		raw, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Decoder).Decode(raw); err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A chunk that decodes is encoded to the same content again.
func FuzzChunk(f *testing.F) {
	f.Add(example())
	f.Add(synchronised())
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := new(Decoder)
		if c.Decode(raw) != nil {
			return
		}
		var e Encoder
		e.Begin(c.Thread, c.First)
		at, syncs := 0, c.Syncs
		for i, entry := range c.Steps {
			for ; len(syncs) > 0 && int(syncs[0].At) == i; syncs = syncs[1:] {
				e.AddSync(&syncs[0])
			}
			in := &c.Table[entry]
			e.Add(in, c.Taken[i], c.Addresses[at:at+in.MemoryOperands()])
			at += in.MemoryOperands()
		}
		again := new(Decoder)
		if err := again.Decode(e.Append(nil)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(c.Taken, again.Taken) || !slices.Equal(c.Addresses, again.Addresses) || !slices.Equal(c.Syncs, again.Syncs) {
			t.Error("other content comes back")
		}
		for i := range c.Steps {
			if c.Table[c.Steps[i]] != again.Table[again.Steps[i]] {
				t.Fatalf("instruction %d differs", i)
			}
		}
	})
}

// BenchmarkDecodeChunk isolates the decoding of predicted instructions.
func BenchmarkDecodeChunk(b *testing.B) {
	var e Encoder
	e.Begin(0, 0)
	for i := range uint64(FlushInstructions) {
		in := trace.CPUInstruction{IP: 0x400 + 4*(i%16), Branch: i%16 == 15}
		if i%4 == 1 {
			in.LoadSlots = 1
		}
		e.Add(&in, in.Branch, []uint64{i * 8}[:in.MemoryOperands()])
	}
	raw, c := e.Append(nil), new(Decoder)
	for b.Loop() {
		if err := c.Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*FlushInstructions/b.Elapsed().Seconds()/1e6, "Minstr/s")
}

// An encoder and a decoder begin each chunk anew: what the one before held, or half of it, leaves nothing.
func TestEncodersAndDecodersAreUsedAgain(t *testing.T) {
	e, c := new(Encoder), new(Decoder)
	for range 2 {
		if !bytes.Equal(encodeSynchronised(e), synchronised()) || !bytes.Equal(encodeExample(e), example()) {
			t.Error("an encoder that was used gives another chunk")
		}
		for _, data := range [][]byte{synchronised(), example(), example()[:20]} {
			fresh := new(Decoder)
			err, want := c.Decode(data), fresh.Decode(data)
			if (err == nil) != (want == nil) {
				t.Fatalf("%v, and by a new decoder %v", err, want)
			}
			if err != nil {
				continue
			}
			if c.Thread != fresh.Thread || c.First != fresh.First || !slices.Equal(c.Steps, fresh.Steps) || !slices.Equal(c.Addresses, fresh.Addresses) ||
				!slices.Equal(c.Taken, fresh.Taken) || !slices.Equal(c.Table, fresh.Table) || !slices.Equal(c.Syncs, fresh.Syncs) {
				t.Errorf("a decoder that was used has %+v, a new one %+v", c, fresh)
			}
		}
	}
}
