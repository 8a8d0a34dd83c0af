// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/units"
)

// bench is collectors whose units take everything at once, and whose port is open or
// not.
type bench struct {
	c         *Collectors
	board     scoreboard.Board
	units     units.Units
	conflicts uint64
	closed    map[units.Kind]bool
	started   []start
	read      []int // warps with an instruction that has read everything
}

type start struct {
	at          clock.Cycle
	warp, index int
}

func (b *bench) Execute(now clock.Cycle, x *Staged) bool {
	if b.closed[x.Kind] {
		return false
	}
	b.started = append(b.started, start{now, int(x.Warp), int(x.Index)})
	return true
}

func (b *bench) PortReady(clock.Cycle) bool { return !b.closed[units.LDST] }
func (b *bench) OperandsRead(w int)         { b.read = append(b.read, w) }

func newBench(m arch.SM) *bench {
	m.Units = arch.Units{SP: 1, SFU: 1, LDST: 1}
	b := &bench{closed: map[units.Kind]bool{}}
	b.units = units.New(&m, 100)
	b.units.Begin(&m, 0)
	b.board.Begin(8, 1, nil)
	b.c = New(&m, &b.board, &b.units, &b.conflicts)
	return b
}

func (b *bench) run(from, to clock.Cycle) {
	for now := from; now <= to; now++ {
		b.c.Step(now, b)
	}
}

func general(count, ports, banks int) arch.SM {
	return arch.SM{RegisterBanks: banks, Collectors: arch.Collectors{General: arch.CollectorSet{Count: count, Ports: ports}}}
}

// registers is a set of the first 64, by bits.
func registers(bits uint64) scoreboard.Set {
	s, _ := scoreboard.Gather([]uint64{bits}, nil)
	return s
}

func instruction(warp, index int, sources ...uint16) Instruction {
	return Instruction{Index: uint32(index), Warp: uint8(warp), Kind: units.SP, Operands: &Operands{Sources: sources, Read: registers(0b0110)}}
}

// An instruction issued in cycle i takes a collector in i+1 and reads an operand in each
// cycle from i+2 on. It moves to the dispatch latch in the cycle after the last, and
// starts in the one after that. Without operands it needs no cycle to read.
func TestEachStepTakesACycle(t *testing.T) {
	for operands, want := range map[int]clock.Cycle{0: 13, 1: 14, 2: 15, 3: 16} {
		b := newBench(general(1, 1, 16))
		b.c.Stage(10, instruction(0, 5, []uint16{1, 2, 3}[:operands]...))
		b.run(11, 30)
		if diff := cmp.Diff([]start{{want, 0, 5}}, b.started, cmp.AllowUnexported(start{})); diff != "" {
			t.Errorf("%d operands: %s", operands, diff)
		}
		if b.conflicts != 0 || b.c.Busy() || b.c.Next() != clock.Never {
			t.Errorf("%d operands: %d conflicts, busy %v, next %d", operands, b.conflicts, b.c.Busy(), b.c.Next())
		}
	}
}

// Register r of warp w is in bank (r+w) mod banks. Two collectors that want one bank in
// a cycle read one after the other, the older first.
func TestOneBankServesOneCollectorACycle(t *testing.T) {
	for _, c := range []struct {
		warp      int
		register  uint16
		second    clock.Cycle
		conflicts uint64
	}{{1, 4, 15, 0}, {1, 3, 16, 1}, {1, 7, 16, 1}, {5, 3, 16, 1}, {0, 5, 15, 0}} {
		b := newBench(general(2, 2, 4))
		b.c.Stage(11, instruction(0, 1, 4)) // bank 0
		b.c.Stage(11, instruction(c.warp, 2, c.register))
		b.run(12, 30)
		want := []start{{15, 0, 1}, {c.second, c.warp, 2}}
		if diff := cmp.Diff(want, b.started, cmp.AllowUnexported(start{})); diff != "" || b.conflicts != c.conflicts {
			t.Errorf("register %d of warp %d with register 4 of warp 0 in four banks: %d conflicts, %s", c.register, c.warp, b.conflicts, diff)
		}
	}
}

// An operand whose bank is taken lets another of the same instruction go first.
func TestACollectorReadsWhatItCan(t *testing.T) {
	b := newBench(general(2, 2, 4))
	b.c.Stage(11, instruction(0, 1, 4))
	b.c.Stage(11, instruction(0, 2, 8, 1))
	b.run(12, 30)
	if diff := cmp.Diff([]start{{15, 0, 1}, {16, 0, 2}}, b.started, cmp.AllowUnexported(start{})); diff != "" || b.conflicts != 0 {
		t.Errorf("%d conflicts, %s", b.conflicts, diff)
	}
}

// Write-back takes the banks first: it comes before operand read in a cycle.
func TestWriteBackTakesBanksInTurn(t *testing.T) {
	b := newBench(general(1, 1, 4))
	if n := b.c.Write(10, 0, []uint16{0, 1, 4, 2}, true); n != 2 {
		t.Errorf("%d registers written before the first whose bank is taken, want 2", n)
	}
	if n := b.c.Write(11, 0, []uint16{4, 2}, true); n != 2 {
		t.Errorf("%d of the rest written in the next cycle, want 2", n)
	}
	b.c.Stage(10, instruction(0, 1, 3))
	b.run(11, 11)
	b.c.Write(12, 0, []uint16{7}, true)
	b.run(12, 30)
	if diff := cmp.Diff([]start{{15, 0, 1}}, b.started, cmp.AllowUnexported(start{})); diff != "" || b.conflicts != 1 {
		t.Errorf("%d conflicts, %s", b.conflicts, diff)
	}
}

// The latch holds as many as there are ports; a collector is free again when its
// instruction moves to the dispatch latch.
func TestASetIsFullWhenItsLatchIs(t *testing.T) {
	b := newBench(general(1, 1, 16))
	b.c.Stage(10, instruction(0, 1, 1))
	if !b.c.Full(0, units.SP) || b.c.Cause(0, units.SP) != counters.CauseOperand {
		t.Error("one in a latch of one: not full, or not for operand read")
	}
	b.run(11, 11)
	if b.c.Full(0, units.SP) {
		t.Error("the latch is full while its instruction is in a collector")
	}
	b.c.Stage(11, instruction(0, 2, 2))
	b.closed[units.SP] = true
	b.run(12, 12) // the first reads
	b.run(13, 13) // it moves on, and the second takes its collector
	if b.c.Full(0, units.SP) {
		t.Error("the latch is full while a collector is free")
	}
	b.c.Stage(13, instruction(0, 3, 3))
	b.run(14, 20)
	if !b.c.Full(0, units.SP) || b.c.Cause(0, units.SP) != counters.CauseUnit {
		t.Error("a unit that takes nothing: not full, or not for the unit")
	}
	if len(b.started) != 0 {
		t.Errorf("a unit that takes nothing has started %v", b.started)
	}
}

// Memory instructions have a set of their own, wait for the port there, and are
// looked at when it is ready; what waits for nothing else sleeps.
func TestMemoryInstructionsWaitForThePort(t *testing.T) {
	m := general(1, 1, 16)
	m.Collectors.LDST = arch.CollectorSet{Count: 1, Ports: 1}
	b := newBench(m)
	b.closed[units.LDST] = true
	load := instruction(3, 9)
	load.Kind = units.LDST
	b.c.Stage(10, load).Access.WarpSlot = 3
	if b.c.Full(0, units.SP) || !b.c.Full(0, units.LDST) {
		t.Error("loads and arithmetic share a latch")
	}
	b.run(11, 20)
	if b.c.Next() != clock.Never || !b.c.Busy() {
		t.Errorf("it waits for the port: next cycle %d", b.c.Next())
	}
	b.c.Moved()
	b.run(21, 21)
	if b.c.Moved() {
		t.Error("something moved while the port was not ready")
	}
	b.closed[units.LDST] = false
	b.run(22, 22)
	if diff := cmp.Diff([]start{{22, 3, 9}}, b.started, cmp.AllowUnexported(start{})); diff != "" || !b.c.Moved() || b.c.Moved() {
		t.Errorf("the port is ready: %s", diff)
	}
}

// With checks of writes after reads a register is reserved until the last instruction
// that reads it has.
func TestRegistersAreReservedUntilTheyAreRead(t *testing.T) {
	m := general(2, 2, 1) // one bank: one operand a cycle
	m.WARHazards = true
	b := newBench(m)
	b.c.Stage(10, instruction(2, 1, 1))
	second := instruction(2, 2, 2)
	second.Read = registers(0b1100)
	b.c.Stage(10, second)
	one, two := registers(0b0110), registers(0b1100) // they share a register
	check := func(now clock.Cycle, first, last scoreboard.Hazard) {
		t.Helper()
		if a, z := b.board.CheckReads(2, one), b.board.CheckReads(2, two); a != first || z != last {
			t.Errorf("after cycle %d: hazards %d and %d, want %d and %d", now, a, z, first, last)
		}
	}
	b.run(11, 11)
	check(11, scoreboard.Unread, scoreboard.Unread)
	b.run(12, 12) // the first reads: the shared register stays, the other one is free
	check(12, scoreboard.Unread, scoreboard.Unread)
	b.run(13, 13)
	check(13, scoreboard.None, scoreboard.None)
	if diff := cmp.Diff([]int{2, 2}, b.read); diff != "" {
		t.Errorf("told of operands read: %s", diff)
	}
}

// A transfer of t cycles from issue puts t cycles before the collector, and as many
// latches in front of it.
func TestTransferHasLatchesOfItsOwn(t *testing.T) {
	b := newBench(general(4, 1, 16))
	b.units.SetTransfer(3)
	b.c.SetTransfer(3)
	for n := range 4 {
		if b.c.Full(0, units.SP) {
			t.Fatalf("full with %d in the latches", n)
		}
		b.c.Stage(clock.Cycle(10+n), instruction(0, n, uint16(n)))
		b.run(clock.Cycle(11+n), clock.Cycle(11+n))
	}
	b.run(15, 40)
	want := []start{{17, 0, 0}, {18, 0, 1}, {19, 0, 2}, {20, 0, 3}}
	if diff := cmp.Diff(want, b.started, cmp.AllowUnexported(start{})); diff != "" {
		t.Error(diff)
	}
}

func TestMachinesWithoutAnArbiterHaveNoCollectors(t *testing.T) {
	var u units.Units
	if New(&arch.SM{OperandCollectors: 4, RegisterBanks: 16}, nil, &u, nil) != nil {
		t.Error("collectors on a machine that describes none")
	}
}

// With parallel reads an instruction takes a cycle for all its operands, unless two of them
// are in one bank. With two steps a cycle it takes half as long to collect them.
func TestParallelReadsAndSteps(t *testing.T) {
	for _, c := range []struct {
		steps   int
		sources []uint16
		want    clock.Cycle
	}{{1, []uint16{1, 2, 3}, 14}, {1, []uint16{1, 5, 3}, 15}, {2, []uint16{1, 2, 3}, 13}, {2, []uint16{1, 5, 3}, 13}, {2, nil, 12}} {
		m := general(1, 1, 4)
		m.Collectors.ParallelReads, m.Collectors.Steps = true, c.steps
		b := newBench(m)
		b.c.Stage(10, instruction(0, 5, c.sources...))
		b.run(11, 30)
		if diff := cmp.Diff([]start{{c.want, 0, 5}}, b.started, cmp.AllowUnexported(start{})); diff != "" {
			t.Errorf("registers %v in %d steps a cycle: %s", c.sources, c.steps, diff)
		}
	}
}

// A latch that is full is closed to the kinds of unit behind it, and to no others, until collectors take an instruction
// out of it.
func TestALatchIsClosedWhileItIsFull(t *testing.T) {
	m := general(1, 1, 16)
	m.Collectors.SFU = arch.CollectorSet{Count: 1, Ports: 1}
	b := newBench(m)
	empty := b.c.Open(0)
	if want := uint8(1<<units.SP | 1<<units.SFU | 1<<units.LDST); empty&want != want {
		t.Fatalf("empty latches are open to %b", empty)
	}
	b.c.Stage(10, instruction(0, 1, 4))
	if closed := empty &^ b.c.Open(0); closed&(1<<units.SP) == 0 || closed&(1<<units.SFU) != 0 || b.c.Open(0)&^empty != 0 {
		t.Errorf("with an instruction in the general latch all are open but %b", closed)
	}
	b.run(11, 11)
	if b.c.Open(0) != empty {
		t.Errorf("a collector has the instruction, and latches are open to %b, want %b", b.c.Open(0), empty)
	}
}

// Each bank of each sub-core serves one register of its warps a cycle, on files of few banks and of as many as there may be.
func TestEachBankServesOnce(t *testing.T) {
	for _, c := range []struct{ banks, parts int }{{1, 1}, {3, 1}, {16, 2}, {36, 4}, {128, 2}, {200, 1}, {240, 4}, {256, 4}} {
		b := newBanks(c.banks, c.parts)
		own := c.banks / c.parts
		taken := map[[2]int]bool{}
		for i := range 4 * c.banks {
			warp, register := i*7%48, i*5%301
			bank := [2]int{warp % c.parts, (warp + register) % own}
			if got := b.Take(3, uint16(register), uint8(warp)); got == taken[bank] {
				t.Fatalf("%+v: register %d of warp %d is read: %v, though its bank is taken: %v", c, register, warp, got, taken[bank])
			}
			taken[bank] = true
		}
		if !b.Take(4, 0, 0) {
			t.Errorf("%+v: a bank stays taken", c)
		}
	}
}
