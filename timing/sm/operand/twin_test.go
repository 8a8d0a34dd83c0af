// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/trace/tracetest"
)

// A slow twin of the collectors: it looks at each instruction in each cycle, never sleeps, and keeps one list of all
// that is staged. The package's comment says what it does.
type twin struct {
	m       *arch.SM
	parts   int
	move    clock.Cycle // transfer
	staged  []*item     // in the order of issue
	order   int         // numbers what takes a collector or a dispatch latch
	busy    map[unit][]clock.Cycle
	handed  clock.Cycle // the last cycle in which the port took something, one later
	taken   map[int]bool
	counted uint64
	started []start
	read    []int
}

type place int

const (
	latch place = iota
	collector
	out
)

type item struct {
	Instruction
	from   clock.Cycle
	in     place
	order  int
	unread []uint16
}

// A unit is one of a kind that a sub-core has for itself, or all have.
type unit struct {
	kind units.Kind
	part int
}

// A set is named by the kind that it is for, general by -1.
func (b *twin) set(k units.Kind) (name int, set arch.CollectorSet) {
	c := &b.m.Collectors
	if own := map[units.Kind]arch.CollectorSet{units.SP: c.SP, units.SFU: c.SFU, units.LDST: c.LDST}[k]; own.Count > 0 {
		return int(k), own
	}
	return -1, c.General
}

func (b *twin) part(x *item) int { return int(x.Warp) % b.parts }

// pool and lane name where an instruction is: lanes in the order in which they are looked at.
func (b *twin) pool(x *item) [2]int {
	name, _ := b.set(x.Kind)
	return [2]int{b.part(x), name}
}

func (b *twin) lane(x *item) [3]int {
	p := b.pool(x)
	if b.parts == 1 {
		return [3]int{0, p[1], 0}
	}
	return [3]int{p[0], p[1], int(x.Kind)}
}

// those gives what is in a place, by lane or pool, each in the order in which it came there.
func those[K interface{ [2]int | [3]int }](b *twin, in place, key func(*item) K) (groups [][]*item) {
	at := map[K]int{}
	for _, x := range b.staged {
		if x.in != in {
			continue
		}
		k := key(x)
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(x, y *item) int { return x.order - y.order })
	}
	slices.SortFunc(groups, func(x, y []*item) int {
		a, b := key(x[0]), key(y[0])
		for i := range len(a) {
			if a[i] != b[i] {
				return a[i] - b[i]
			}
		}
		return 0
	})
	return groups
}

func (b *twin) held(p [2]int) (n int) {
	for _, x := range b.staged {
		if x.in == collector && b.pool(x) == p {
			n++
		}
	}
	return n
}

func (b *twin) inLane(in place, l [3]int) (n int) {
	for _, x := range b.staged {
		if x.in == in && b.lane(x) == l {
			n++
		}
	}
	return n
}

// bank takes a bank: register r of warp w is in bank (r+w) mod the banks of its sub-core.
func (b *twin) bank(w uint8, register uint16) bool {
	banks := b.m.RegisterBanks / b.parts
	if banks == 0 {
		return true
	}
	at := int(w)%b.parts*banks + (int(register)+int(w))%banks
	took := !b.taken[at]
	b.taken[at] = true
	return took
}

// starts starts an instruction where its unit, or the port, takes it.
func (b *twin) starts(now clock.Cycle, x *item, port bool) bool {
	if x.Kind == units.LDST {
		if !port || b.handed == now+1 {
			return false
		}
		b.handed = now + 1
	} else {
		free := b.busy[b.unit(x.Kind, b.part(x))]
		at := slices.Index(free, slices.Min(free))
		if free[at] > now {
			return false
		}
		free[at] = now + interval[x.Kind]
	}
	b.started = append(b.started, start{now, int(x.Warp), int(x.Index)})
	b.staged = slices.DeleteFunc(b.staged, func(y *item) bool { return y == x })
	return true
}

// unit is the units that serve a sub-core: of a kind with a single one, those of all.
func (b *twin) unit(k units.Kind, part int) unit {
	if units.Counts(&b.m.Units)[k] < b.parts {
		return unit{k, 0}
	}
	return unit{k, part}
}

var interval = [units.Kinds]clock.Cycle{units.SP: 2, units.SFU: 7}

func (b *twin) step(now clock.Cycle, port bool) (moved bool) {
	lanes := those(b, out, b.lane)
	if b.parts > 1 {
		var oldest []*item
		lanes = slices.DeleteFunc(lanes, func(l []*item) bool {
			if l[0].Kind != units.LDST {
				return false
			}
			if oldest == nil || l[0].from < oldest[0].from || l[0].from == oldest[0].from && l[0].Index < oldest[0].Index {
				oldest = l
			}
			return true
		})
		if oldest != nil {
			lanes = append([][]*item{oldest}, lanes...)
		}
	}
	for _, l := range lanes {
		for _, x := range l {
			moved = b.starts(now, x, port) || moved
		}
	}
	for n := range max(b.m.Collectors.Steps, 1) {
		if n > 0 {
			b.taken = map[int]bool{}
		}
		moved = b.collect(now) || moved
	}
	b.taken = map[int]bool{}
	return moved
}

func (b *twin) collect(now clock.Cycle) (moved bool) {
	for _, p := range those(b, collector, b.pool) {
		for _, x := range p {
			if _, set := b.set(x.Kind); len(x.unread) == 0 && b.inLane(out, b.lane(x)) < set.Ports {
				b.goes(x, out)
				moved = true
			}
		}
	}
	all := slices.Clone(b.staged)
	slices.SortStableFunc(all, func(x, y *item) int { return x.order - y.order })
	for _, x := range all {
		if x.in == collector && len(x.unread) > 0 {
			b.receive(x)
			moved = true
		}
	}
	for _, l := range those(b, latch, b.lane) {
		for _, x := range l {
			_, set := b.set(x.Kind)
			if x.from > now || b.held(b.pool(x)) == set.Count/b.parts {
				break
			}
			b.goes(x, collector)
			moved = true
		}
	}
	return moved
}

func (b *twin) goes(x *item, in place) {
	b.order++
	x.in, x.order = in, b.order
}

// receive gives a collector an operand, or one from each bank.
func (b *twin) receive(x *item) {
	var rest []uint16
	some := false
	for _, register := range x.unread {
		if some && !b.m.Collectors.ParallelReads || !b.bank(x.Warp, register) {
			rest = append(rest, register)
		} else {
			some = true
		}
	}
	if x.unread = rest; !some {
		b.counted++
	}
	if len(rest) == 0 && b.m.WARHazards {
		b.read = append(b.read, int(x.Warp))
	}
}

func (b *twin) full(w int, k units.Kind) (full bool, cause counters.Cause) {
	x := &item{Instruction: Instruction{Warp: uint8(w), Kind: k}}
	_, set := b.set(k)
	room := set.Ports * (1 + int(b.move))
	full, cause = b.inLane(latch, b.lane(x)) == room, counters.CauseUnit
	if full && b.inLane(out, b.lane(x)) < set.Ports {
		cause = counters.CauseOperand
	} else if full && k == units.LDST {
		cause = counters.CauseLSU
	}
	return full, cause
}

// unreadBy reports whether an instruction of a warp has yet to read one of the registers.
func (b *twin) unreadBy(w int, registers uint64) bool {
	return slices.ContainsFunc(b.staged, func(x *item) bool {
		if int(x.Warp) != w || len(x.unread) == 0 {
			return false
		}
		for _, r := range x.Sources {
			if registers>>r&1 != 0 {
				return true
			}
		}
		return false
	})
}

// A trial has the collectors and their twin do the same.
type trial struct {
	bench
	slow   *twin
	random *rand.Rand
	port   bool
	handed clock.Cycle
	index  int
}

func (x *trial) Execute(now clock.Cycle, s *Staged) bool {
	if s.Kind == units.LDST {
		if !x.port || x.handed == now+1 {
			return false
		}
		x.handed = now + 1
	} else if _, ok := x.units.Start(now, s.Kind, int(s.Warp)%x.slow.parts, &units.Timing{Interval: int32(interval[s.Kind]), Result: 1}, false); !ok {
		return false
	}
	x.started = append(x.started, start{now, int(s.Warp), int(s.Index)})
	return true
}

func (x *trial) PortReady(clock.Cycle) bool { return x.port }

var tried = []units.Kind{units.SP, units.SFU, units.LDST}

const trialWarps = 8

// drawn is a machine: collectors for all kinds or for each, whole or in sub-cores.
func drawn(random *rand.Rand) arch.SM {
	parts := []int{1, 2, 4}[random.IntN(3)]
	set := func() arch.CollectorSet {
		return arch.CollectorSet{Count: parts * (1 + random.IntN(3)), Ports: 1 + random.IntN(2)}
	}
	m := arch.SM{
		Schedulers: parts, RegisterBanks: parts * random.IntN(6), WARHazards: random.IntN(2) == 0,
		Units: arch.Units{SP: parts * (1 + random.IntN(2)), SFU: []int{1, parts}[random.IntN(2)], LDST: 1},
	}
	k := &m.Collectors
	k.SubCores, k.Steps, k.ParallelReads, k.ResultsPass = parts > 1, random.IntN(3), random.IntN(2) == 0, random.IntN(2) == 0
	own := []*arch.CollectorSet{&k.SP, &k.SFU, &k.LDST}
	if random.IntN(4) > 0 {
		k.General = set()
		own = own[random.IntN(4):]
	}
	for _, s := range own {
		*s = set()
	}
	return m
}

// Random instructions on random machines read, start and wait in the same cycles as those of the twin.
func TestCollectorsAsTheirTwin(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 400, 60) {
		random := rand.New(rand.NewPCG(seed, 11))
		m := drawn(random)
		move := random.IntN(3)
		parts := m.SubCoreCount()
		x := &trial{random: random}
		x.units = units.New(&m, 100)
		x.units.Begin(&m, 0)
		x.units.SetTransfer(clock.Cycle(move))
		x.board.Begin(trialWarps, 1, nil)
		x.c = New(&m, &x.board, &x.units, &x.conflicts)
		x.c.SetTransfer(move)
		x.slow = &twin{m: &m, parts: parts, move: clock.Cycle(move), busy: map[unit][]clock.Cycle{}, taken: map[int]bool{}}
		for _, k := range []units.Kind{units.SP, units.SFU} {
			n := units.Counts(&m.Units)[k]
			for part := range parts {
				if n >= parts {
					x.slow.busy[unit{k, part}] = make([]clock.Cycle, n/parts)
				} else {
					x.slow.busy[unit{k, 0}] = make([]clock.Cycle, n)
				}
			}
		}
		expected := clock.Never
		for now := clock.Cycle(1); now < 150; now++ {
			if !x.cycle(t, now, &expected) {
				t.Fatalf("seed %d, cycle %d: %+v, transfer %d", seed, now, m, move)
			}
		}
	}
}

// cycle is write-back, the collectors and issue, in that order. expected is the cycle in which something must move, as far
// as the collectors have said: they sleep no less than they can.
func (x *trial) cycle(t *testing.T, now clock.Cycle, expected *clock.Cycle) bool {
	t.Helper()
	x.port = x.random.IntN(3) == 0
	if x.random.IntN(3) == 0 {
		x.write(t, now)
	}
	x.c.Step(now, x)
	moved := x.slow.step(now, x.port)
	said := x.c.Moved()
	if said != moved || *expected == now && !moved {
		t.Errorf("moved %v, want %v, expected in cycle %d", said, moved, *expected)
	}
	if !slices.Equal(x.started, x.slow.started) || !slices.Equal(x.read, x.slow.read) || x.conflicts != x.slow.counted {
		t.Errorf("started %v, want %v; read by warps %v, want %v; %d conflicts, want %d", x.started, x.slow.started, x.read, x.slow.read, x.conflicts, x.slow.counted)
	}
	if x.c.Busy() != (len(x.slow.staged) > 0) || !x.c.Busy() && x.c.Next() != clock.Never {
		t.Errorf("busy %v with %d staged, next %d", x.c.Busy(), len(x.slow.staged), x.c.Next())
	}
	if !moved {
		*expected = x.c.Next()
	} else {
		*expected = clock.Never
	}
	x.look(t)
	for range x.random.IntN(3) * x.random.IntN(2) {
		if x.issue(now) {
			*expected = clock.Never
		}
	}
	return !t.Failed()
}

// write writes registers back, some of them loaded.
func (x *trial) write(t *testing.T, now clock.Cycle) {
	t.Helper()
	w, computed := uint8(x.random.IntN(trialWarps)), x.random.IntN(2) == 0
	var list []uint16
	for range 1 + x.random.IntN(3) {
		list = append(list, uint16(x.random.IntN(40)))
	}
	want := 0
	for _, r := range list {
		if !x.slow.bank(w, r) && !(computed && x.slow.m.Collectors.ResultsPass) {
			break
		}
		want++
	}
	if n := x.c.Write(now, w, list, computed); n != want {
		t.Errorf("%d of registers %v of warp %d are written, want %d", n, list, w, want)
	}
}

// look compares what issue can see.
func (x *trial) look(t *testing.T) {
	t.Helper()
	for w := range trialWarps {
		for _, k := range tried {
			full, cause := x.slow.full(w, k)
			if x.c.Full(w, k) != full || x.c.Cause(w, k) != cause || x.c.Open(w%x.c.Parts())>>k&1 != 0 == full {
				t.Errorf("warp %d, kind %d: full %v, want %v; cause %v, want %v; open to %b", w, k, x.c.Full(w, k), full, x.c.Cause(w, k), cause, x.c.Open(w%x.c.Parts()))
			}
		}
		if open := x.c.Open(w % x.c.Parts()); open&^(1<<units.SP|1<<units.SFU|1<<units.LDST) != 0 {
			t.Errorf("an instruction can issue to kinds %b, which have no units", open)
		}
		set := x.random.Uint64() & x.random.Uint64() & x.random.Uint64()
		if got, want := x.board.CheckReads(w, registers(set)) == scoreboard.Unread, x.c.ReadLate() && x.slow.unreadBy(w, set); got != want {
			t.Errorf("of registers %#x of warp %d some are unread: %v, want %v", set, w, got, want)
		}
	}
}

// issue stages an instruction whose latch is not full.
func (x *trial) issue(now clock.Cycle) bool {
	w, k := x.random.IntN(trialWarps), tried[x.random.IntN(len(tried))]
	if full, _ := x.slow.full(w, k); full {
		return false
	}
	var sources []uint16
	set := uint64(0)
	for range x.random.IntN(4) {
		r := uint16(x.random.IntN(40))
		sources = append(sources, r)
		set |= 1 << r
	}
	x.index++
	in := Instruction{Index: uint32(x.index), Warp: uint8(w), Kind: k, Operands: &Operands{Sources: sources, Read: registers(set)}}
	x.c.Stage(now, in)
	x.slow.order++
	x.slow.staged = append(x.slow.staged, &item{Instruction: in, from: now + 1 + x.slow.move, order: x.slow.order, unread: sources})
	return true
}
