// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/trace"
)

// Each lane of each SM has a front end of its own, with an entry for each of its threads (GPSim thesis, Table 6.2). Two
// contexts for each warp have tables for each SM (Table 6.1).
func TestStructuresAreOfEachLane(t *testing.T) {
	m := new(arch.Machine)
	m.GPU.SMs, m.SM.MaxWarps, m.SM.InstructionBuffer, m.SM.InstructionBytes, m.SM.FetchWidth = 3, 5, 7, 8, 2
	s := &Section{TinyLines: 4, TinyWays: 2, TinyLineBytes: 64, UpperRegisters: 6, DecoderGates: 100}
	type size struct{ count, entries, bits int }
	lanes := 3 * 32
	for divergence, want := range map[string]map[string]size{
		Together: {
			"front end/lane buffers": {lanes, 35, 64}, "front end/lane decoders": {lanes, 0, 0}, "front end/lane scoreboards": {lanes, 5, scoreBits},
			"front end/circular scheduler": {lanes, 5, addressBits}, "front end/tinyICache/tags": {lanes, 4, tagBits}, "front end/tinyICache/data": {lanes, 4 * 8, 64},
			"upper registers": {lanes, 30, 32}, "powered registers": {lanes, 32, 64}, "cpu execute": {lanes, 0, 0},
		},
		Interleaved: {
			"front end/context table": {3, 10, addressBits + 32 + 1}, "front end/second scoreboard": {3, 5, scoreBits}, "front end/second instruction buffer": {3, 35, 64},
		},
	} {
		m.GPU.Divergence = divergence
		for _, x := range s.Structures(m) {
			path := strings.TrimPrefix(x.Path, "chip/sm/")
			if got, is := want[path]; is && got != (size{x.Count, x.Entries, x.EntryBits}) {
				t.Errorf("%s: %d %s of %d entries with %d bits, want %+v", divergence, x.Count, path, x.Entries, x.EntryBits, got)
			}
			delete(want, path)
		}
		if len(want) > 0 {
			t.Errorf("%s: there are no %v", divergence, want)
		}
	}
}

// A line of a tiny instruction cache is as long as an instruction at least, and as a line of the shared cache at most. Its
// ways divide the lines into a power of two of sets.
func TestTinyCachesThatCanBeBuilt(t *testing.T) {
	m := new(arch.Machine)
	m.SM.InstructionBytes, m.Instruction.LineBytes = 16, 128
	for _, c := range []struct {
		lines, ways, bytes int
		want               string
	}{
		{8, 2, 64, ""}, {8, 2, 16, ""}, {8, 2, 128, ""}, {8, 8, 64, ""}, {8, 1, 64, ""}, {12, 3, 64, ""},
		{8, 2, 8, "tiny_line_bytes"}, {8, 2, 256, "tiny_line_bytes"}, {8, 0, 64, "tiny_ways"}, {8, 3, 64, "tiny_ways"}, {12, 2, 64, "tiny_ways"}, {0, 0, 0, ""},
	} {
		var got []string
		s := &Section{TinyLines: c.lines, TinyWays: c.ways, TinyLineBytes: c.bytes}
		s.checkTiny(m, func(key, _ string) { got = append(got, key) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%d lines of %d bytes, %d ways: %q, want %q", c.lines, c.bytes, c.ways, got, c.want)
		}
	}
}

// Barriers have their number, the threads that they wait for, and whether threads count by themselves (PTX ISA, 9.7.13.1).
func TestVisitsOfBarriersAreTheirOperands(t *testing.T) {
	number := func(n int64) trace.Operand { return trace.Operand{Kind: trace.OperandImmediate, Value: n} }
	register := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: 3, Words: 1}}
	for _, c := range []struct {
		name     string
		operands []trace.Operand
		want     visit
	}{
		{"bar.sync", []trace.Operand{number(0)}, visit{}},
		{"bar.sync", []trace.Operand{number(3), number(64)}, visit{id: 3, expected: 64}},
		{"bar.arrive", []trace.Operand{number(5), number(96)}, visit{id: 5, expected: 96, arrivesOnly: true}},
		{"bar.sync", []trace.Operand{register, number(64)}, visit{loose: true, expected: 64}},
		{"bar.sync", []trace.Operand{number(2), register}, visit{id: 2}},
		{"barrier.sync", []trace.Operand{number(1)}, visit{id: 1, apart: true}},
		{"barrier.sync.aligned", []trace.Operand{number(1)}, visit{id: 1}},
		{"barrier.cluster.arrive", nil, visit{id: barrier.Cluster, apart: true}},
		{"barrier.cluster.wait.aligned", nil, visit{id: barrier.Cluster, apart: true}},
	} {
		parts := strings.Split(c.name, ".")
		if got := visitOf(&trace.Instruction{Opcode: parts[0], Modifiers: parts[1:], Class: trace.ClassBarrier, Operands: c.operands}); got != c.want {
			t.Errorf("%s %v: %+v, want %+v", c.name, c.operands, got, c.want)
		}
	}
}

// A scoreboard has predicates behind the 32-bit registers, so that none waits for another's number.
func TestPredicatesHavePlacesOfTheirOwn(t *testing.T) {
	general := func(n uint16, words uint8) trace.Register { return trace.Register{Number: n, Words: words} }
	predicate := func(n uint16) trace.Register { return trace.Register{File: trace.FilePredicate, Number: n} }
	d := &decoder{predicates: 40}
	got := d.places([]trace.Register{predicate(2), general(2, 1), general(6, 2), general(7, 1), general(12, 4), predicate(0), predicate(2)})
	if want := []uint16{2, 6, 7, 12, 13, 14, 15, 40, 42}; !slices.Equal(got, want) {
		t.Errorf("places %v, want %v", got, want)
	}
}

// The words at an mbarrier that instructions have are addresses with numbers; others are addresses alone.
func TestWordsAtMbarriersLoseTheirNumbers(t *testing.T) {
	var words [Lanes]uint64
	for l := range words {
		words[l] = trace.WithNumber(uint64(64+8*l), 5)
	}
	for class, keeps := range map[trace.OpClass]bool{trace.ClassAtomic: false, trace.ClassLoad: true} {
		got := words
		(&operation{class: class}).withoutNumbers(0xff00ff, &got)
		for l := range got {
			want := words[l]
			if !keeps && 0xff00ff>>l&1 != 0 {
				want = uint64(64 + 8*l)
			}
			if got[l] != want {
				t.Errorf("class %v: word %d is %#x, want %#x", class, l, got[l], want)
			}
		}
	}
}
