package trace

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
)

// cpuExample encodes a chunk of a loop of ten iterations with a load and a branch.
func cpuExample() []byte {
	var e cpuEncoder
	e.begin(3, 1000)
	load := CPUInstruction{IP: 0x400, Destinations: [4]uint8{1}, LoadSlots: 1}
	branch := CPUInstruction{IP: 0x404, Branch: true, Destinations: [4]uint8{26}, Sources: [4]uint8{26, 25}}
	for i := range uint64(10) {
		e.add(&load, false, []uint64{0x8000 + 8*i})
		e.add(&branch, i < 9, nil)
	}
	return e.append(nil)
}

// The generated code is the oracle for the hand-written one.
func TestCPUChunksAreTheMessageOfTheSchema(t *testing.T) {
	m := new(wtapepb.CpuChunk)
	if err := proto.Unmarshal(cpuExample(), m); err != nil {
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
	c := NewCPUChunk()
	if err := c.decode(cpuExample()); err != nil {
		t.Fatal(err)
	}
	if c.Thread != 3 || c.First != 1000 || len(c.Steps) != 20 || c.Addresses[9] != 0x8000+72 || c.Taken[19] || !c.Taken[17] {
		t.Errorf("%+v", c)
	}
}

func TestDamagedCPUChunksAreRefused(t *testing.T) {
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
		if err := proto.Unmarshal(cpuExample(), m); err != nil {
			t.Fatal(err)
		}
		change(m)
		raw, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := NewCPUChunk().decode(raw); err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestBranchKindsFollowTheRegisters(t *testing.T) {
	const sp, flags, ip, other = 6, 25, 26, 3
	for _, c := range []struct {
		writes, reads []uint8
		want          CPUBranch
	}{
		{[]uint8{ip}, []uint8{ip}, CPUDirectJump},
		{[]uint8{ip}, []uint8{other}, CPUIndirectJump},
		{[]uint8{ip}, []uint8{ip, flags}, CPUConditional},
		{[]uint8{ip}, []uint8{ip, other}, CPUConditional},
		{[]uint8{ip, sp}, []uint8{ip, sp}, CPUCall},
		{[]uint8{ip, sp}, []uint8{ip, sp, other}, CPUIndirectCall},
		{[]uint8{ip, sp}, []uint8{sp}, CPUReturn},
		{[]uint8{sp}, []uint8{sp}, CPUOtherBranch},
	} {
		in := CPUInstruction{Branch: true}
		copy(in.Destinations[:], c.writes)
		copy(in.Sources[:], c.reads)
		if got := in.BranchKind(); got != c.want {
			t.Errorf("writes %v, reads %v: %v, want %v", c.writes, c.reads, got, c.want)
		}
	}
}

// A chunk that decodes is encoded to the same content again.
func FuzzCPUChunk(f *testing.F) {
	f.Add(cpuExample())
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := NewCPUChunk()
		if c.decode(raw) != nil {
			return
		}
		var e cpuEncoder
		e.begin(c.Thread, c.First)
		at := 0
		for i, entry := range c.Steps {
			in := &c.Table[entry]
			e.add(in, c.Taken[i], c.Addresses[at:at+in.operands()])
			at += in.operands()
		}
		again := NewCPUChunk()
		if err := again.decode(e.append(nil)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(c.Taken, again.Taken) || !slices.Equal(c.Addresses, again.Addresses) {
			t.Error("other content comes back")
		}
		for i := range c.Steps {
			if c.Table[c.Steps[i]] != again.Table[again.Steps[i]] {
				t.Fatalf("instruction %d differs", i)
			}
		}
	})
}

// BenchmarkDecodeCPUChunk isolates the decoding of predicted instructions.
func BenchmarkDecodeCPUChunk(b *testing.B) {
	var e cpuEncoder
	e.begin(0, 0)
	for i := range uint64(flushCPUInstructions) {
		in := CPUInstruction{IP: 0x400 + 4*(i%16), Branch: i%16 == 15}
		if i%4 == 1 {
			in.LoadSlots = 1
		}
		e.add(&in, in.Branch, []uint64{i * 8}[:in.operands()])
	}
	raw, c := e.append(nil), NewCPUChunk()
	for b.Loop() {
		if err := c.decode(raw); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*flushCPUInstructions/b.Elapsed().Seconds()/1e6, "Minstr/s")
}
