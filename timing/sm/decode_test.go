// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/trace"
)

func immediate(v int64) trace.Operand {
	return trace.Operand{Kind: trace.OperandImmediate, Value: v}
}

func general(n uint16, words uint8) trace.Register { return trace.Register{Number: n, Words: words} }

func reg(n uint16) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: general(n, 1)}
}

func TestBarrierOperandsAreReadAsPTXWritesThem(t *testing.T) {
	for name, c := range map[string]struct {
		in      trace.Instruction
		kind    kind
		id      uint8
		threads uint32
		arrives bool
	}{
		"bar.sync 3":            {trace.Instruction{Modifiers: []string{"sync"}, Operands: []trace.Operand{immediate(3)}}, kindBarrier, 3, 0, false},
		"barrier.cta.sync 1,64": {trace.Instruction{Modifiers: []string{"cta", "sync"}, Operands: []trace.Operand{immediate(1), immediate(64)}}, kindBarrier, 1, 64, false},
		"bar.arrive 2,96":       {trace.Instruction{Modifiers: []string{"arrive"}, Operands: []trace.Operand{immediate(2), immediate(96)}}, kindBarrier, 2, 96, true},
		"bar.red.popc d,4,p": {trace.Instruction{Modifiers: []string{"red", "popc"}, Destinations: 1,
			Operands: []trace.Operand{reg(1), immediate(4), {Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate}}}}, kindBarrier, 4, 0, false},
		"bar.red.popc d,4,32,p": {trace.Instruction{Modifiers: []string{"red", "popc"}, Destinations: 1,
			Operands: []trace.Operand{reg(1), immediate(4), immediate(32), {Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate}}}}, kindBarrier, 4, 32, false},
		"bar.sync r1":                  {trace.Instruction{Modifiers: []string{"sync"}, Operands: []trace.Operand{reg(1)}}, kindBarrier, 0, 0, false},
		"bar.warp.sync m":              {trace.Instruction{Modifiers: []string{"warp", "sync"}, Operands: []trace.Operand{immediate(-1)}}, kindControl, 0, 0, false},
		"barrier.cluster.wait.acquire": {trace.Instruction{Modifiers: []string{"cluster", "wait", "acquire"}}, kindBarrier, barrier.Cluster, 0, false},
		"bar.sync bare":                {trace.Instruction{Modifiers: []string{"sync"}}, kindBarrier, 0, 0, false},
		"bar.red, damaged":             {trace.Instruction{Modifiers: []string{"red"}, Destinations: 1}, kindBarrier, 0, 0, false},
	} {
		op := operation{kind: kindBarrier}
		decodeBarrier(&op, &c.in)
		if op.barrierApart {
			t.Errorf("%s: threads arrive by themselves", name)
		}
		if want := name == "bar.sync r1"; op.barrierUnknown != want {
			t.Errorf("%s: its number is not known: %v", name, op.barrierUnknown)
		}
		if op.kind != c.kind || op.barrierID != c.id || op.barrierThreads != c.threads || op.barrierArrives != c.arrives {
			t.Errorf("%s: %+v", name, op)
		}
	}
}

// Threads arrive by themselves at barrier, not at bar, nor with .aligned (PTX ISA 9.7.13.1).
func TestThreadsArriveByThemselvesAtUnalignedBarriers(t *testing.T) {
	for _, c := range []struct {
		opcode    string
		modifiers []string
		apart     bool
	}{
		{"barrier", []string{"sync"}, true},
		{"barrier", []string{"cta", "arrive"}, true},
		{"barrier", []string{"cta", "red", "popc"}, true},
		{"barrier", []string{"cta", "sync", "aligned"}, false},
		{"barrier", []string{"red", "and", "aligned"}, false},
		{"bar", []string{"sync"}, false},
		{"bar", []string{"arrive"}, false},
		{"BAR", []string{"SYNC"}, false},
	} {
		op := operation{kind: kindBarrier}
		decodeBarrier(&op, &trace.Instruction{Opcode: c.opcode, Modifiers: c.modifiers})
		if op.barrierApart != c.apart {
			t.Errorf("%s %v: threads arrive by themselves: %v, want %v", c.opcode, c.modifiers, op.barrierApart, c.apart)
		}
	}
}

func TestBankConflictsAreTheFullestBankLessOne(t *testing.T) {
	for _, c := range []struct {
		registers []trace.Register
		banks     int
		want      int
	}{
		{nil, 8, 0},
		{[]trace.Register{general(1, 1), general(2, 1), general(3, 1)}, 8, 0},
		{[]trace.Register{general(1, 1), general(9, 1), general(17, 1)}, 8, 2},
		{[]trace.Register{general(1, 1), general(1, 1)}, 8, 0}, // one read serves both
		{[]trace.Register{general(0, 2), general(2, 2)}, 2, 1},
		{[]trace.Register{general(4, 2), general(9, 1)}, 4, 1},                // the second word of one, and the other
		{[]trace.Register{general(1, 1), general(1, 2), general(6, 1)}, 4, 1}, // the word that is new
		{[]trace.Register{general(0, 2), general(2, 2)}, 0, 0},                // off
		{[]trace.Register{{File: trace.FilePredicate, Number: 1, Words: 1}, general(1, 1)}, 1, 0},
	} {
		if got := bankConflicts(c.registers, c.banks); got != c.want {
			t.Errorf("%v in %d banks: %d, want %d", c.registers, c.banks, got, c.want)
		}
	}
}

// The scoreboard's sets against the instruction's own lists of registers.
func TestRegisterSetsHoldEveryWord(t *testing.T) {
	k := &trace.Kernel{Name: "k", Blocks: []trace.BasicBlock{{Count: 1}}, Instructions: []trace.Instruction{{
		Class: trace.ClassIntAdd, Destinations: 1,
		Guard: trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Number: 2, Words: 1}},
		Operands: []trace.Operand{
			{Kind: trace.OperandRegister, Register: general(63, 2)},
			{Kind: trace.OperandRegister, Register: general(130, 2)},
			{Kind: trace.OperandVector, Elements: []trace.Operand{reg(5), reg(6)}},
		},
	}}}
	d := newDecoder(k, &arch.Machine{SM: arch.SM{Units: arch.Units{SP: 1}}}, &Program{code: make([]operation, 1)})
	if err := d.decode(0); err != nil {
		t.Fatal(err)
	}
	op := &d.program.code[0]
	members := func(r scoreboard.Set) map[int]bool {
		set := map[int]bool{}
		for w := range r.All(d.program.sets) {
			for b := range 64 {
				if w.Mask>>b&1 != 0 {
					set[int(w.Word)*64+b] = true
				}
			}
		}
		return set
	}
	check := func(what string, r scoreboard.Set, want ...int) {
		got := members(r)
		for _, n := range want {
			if !got[n] {
				t.Errorf("%s lacks %d", what, n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s holds %v, want %v", what, got, want)
		}
	}
	// 132 general registers, then the predicates.
	check("written", op.written, 63, 64)
	check("hazard", op.hazard, 63, 64, 130, 131, 5, 6, 132+2)
	if op.reads != 4 || op.writes != 2 {
		t.Errorf("%d reads, %d writes, want 4 and 2", op.reads, op.writes)
	}
}

// The scoreboard of a warp has a bit for each register, in words of 64.
func TestTheScoreboardHasABitForEachRegister(t *testing.T) {
	for _, c := range []struct{ general, predicates, words int }{{1, 0, 1}, {64, 0, 1}, {65, 0, 2}, {60, 4, 1}, {60, 5, 2}, {128, 64, 3}, {129, 64, 4}, {0, 1, 1}} {
		k := &trace.Kernel{Name: "k", Blocks: []trace.BasicBlock{{Count: 1}}, Instructions: []trace.Instruction{{Class: trace.ClassIntAdd}}}
		in := &k.Instructions[0]
		if c.general > 0 {
			in.Operands = append(in.Operands, reg(uint16(c.general-1)))
		}
		if c.predicates > 0 {
			in.Guard = trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Number: uint16(c.predicates - 1), Words: 1}}
		}
		p := &Program{code: make([]operation, 1)}
		if newDecoder(k, new(arch.Machine), p); p.words != c.words {
			t.Errorf("%d registers and %d predicates: %d words, want %d", c.general, c.predicates, p.words, c.words)
		}
	}
}

// Registers are listed once, word by word, as many as collectors keep track of; of whole operands each counts once, and
// predicates lie in no bank.
func TestAccessesAreTheWordsOfRegisters(t *testing.T) {
	var matrix []trace.Register
	for i := range uint16(20) {
		matrix = append(matrix, general(8*i, 4))
	}
	predicate := trace.Register{File: trace.FilePredicate, Number: 3, Words: 1}
	for _, c := range []struct {
		list        []trace.Register
		words       string
		whole, many int
	}{
		{nil, "[]", 0, 0}, {[]trace.Register{general(5, 0)}, "[5]", 1, 1}, {[]trace.Register{predicate, general(5, 1)}, "[5]", 1, 1},
		{[]trace.Register{general(4, 2), general(9, 1)}, "[4 5 9]", 2, 3}, {[]trace.Register{general(4, 2), general(5, 2), general(4, 1)}, "[4 5 6]", 2, 3},
		{matrix, "", 20, 63},
	} {
		for _, whole := range []bool{false, true} {
			m := new(arch.Machine)
			m.SM.Collectors.WholeOperands = whole
			want := c.many
			if whole {
				want = c.whole
			}
			got := (&decoder{machine: m}).accesses(c.list)
			if len(got) != want || !whole && c.words != "" && fmt.Sprint(got) != c.words {
				t.Errorf("%v, whole operands %v: %v, want %d", c.list, whole, got, want)
			}
			if unread := uint64(1)<<(len(got)%64) - 1; bits.OnesCount64(unread) != len(got) {
				t.Errorf("%d accesses do not fit a collector's bits", len(got))
			}
		}
	}
}

// A cluster's barrier is arrived at by barrier.cluster.arrive alone (PTX ISA 9.7.13.3).
func TestArrivalsAtACluster(t *testing.T) {
	for name, want := range map[string]bool{
		"barrier.cluster.arrive": true, "barrier.cluster.arrive.relaxed.aligned": true, "barrier.cluster.wait": false, "barrier.cta.arrive": false,
		"bar.arrive": false, "barrier.sync": false, "mbarrier.arrive.shared::cluster": false, "barrier.cluster.wait.acquire": false,
	} {
		if got := arrivesAtCluster(written(name, trace.ClassBarrier)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
