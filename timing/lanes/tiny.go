// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"github.com/warptape/warptape/timing/consistency"
	"github.com/warptape/warptape/timing/cpu"
)

// access begins the accesses of an instruction; false when there is no room for them.
// Loads come first, as instructions that read and write an address read it first.
func (l *lane) access(now Cycle, in *cpu.Instruction) bool {
	if l.loading == len(l.loads) || l.writing > maxWriting {
		return false // an answer wakes it
	}
	if l.atomic() {
		l.accessAtOnce(now, in)
		return true
	}
	var x load
	done := now + 1
	for _, address := range in.LoadAddresses[:in.Loads] {
		a := access{address: address}
		if k := l.chip.check; k != nil {
			a.want, a.ordered = k.Load(l.thread, in.IP, address)
		}
		l.counts[cpu.Loads]++
		l.group.set[tinyReads]++
		if at := l.data.find(address &^ (lineBytes - 1)); at != nil && at.valid>>grain(address)&1 != 0 {
			l.group.set[tinyReadHits]++
			l.saw(&a, at.values)
			done = now + l.chip.tinyLatency
			continue
		}
		l.counts[cpu.L1ReadMisses]++
		x.accesses[x.n] = a
		x.n++
	}
	if x.n > 0 {
		x.active, x.destinations = true, in.Destinations
		l.fetchData(now, &x)
		done = never
	}
	l.write(in, done)
	for _, address := range in.StoreAddresses[:in.Stores] {
		l.store(now, in.IP, address)
	}
	return true
}

// maxWriting is more write-backs than a lane begins by itself before it orders its accesses.
const maxWriting = 8

// saw tells the checker what a load has seen.
func (l *lane) saw(a *access, v values) {
	if k := l.chip.check; k != nil && a.ordered {
		k.Saw(l.thread, a.address, a.want, v[grain(a.address)])
	}
}

// fetchData asks the L1 for the lines of a load, each once.
func (l *lane) fetchData(now Cycle, x *load) {
	slot := 0
	for l.loads[slot].active {
		slot++
	}
	for i := range int(x.n) {
		address := x.accesses[i].address &^ (lineBytes - 1)
		again := false
		for k := range i {
			again = again || x.accesses[k].address&^(lineBytes-1) == address
		}
		if !again {
			x.left++
			l.group.send(now, request{lane: int32(l.number), slot: int32(slot), line: address})
		}
	}
	l.loads[slot] = *x
	l.loading++
}

// filled takes a line for a load. The line may be there by now, for another load or with
// what the lane has stored meanwhile.
func (l *lane) filled(now Cycle, slot int32, address uint64, v values) {
	x := &l.loads[slot]
	for i := range int(x.n) {
		if a := &x.accesses[i]; a.address&^(lineBytes-1) == address {
			l.saw(a, v)
		}
	}
	if !x.passes(address) {
		l.keep(now, address, v)
	}
	if x.left--; x.left > 0 {
		return
	}
	for _, r := range x.destinations {
		if r != 0 {
			l.ready[r] = now
		}
	}
	x.active = false
	l.loading--
	l.wake(now)
}

// keep puts a line that has come into the tinyCache, but for what the lane has stored.
func (l *lane) keep(now Cycle, address uint64, v values) {
	at := l.data.find(address)
	if at == nil {
		at = l.place(now, address)
	}
	if v != nil {
		for g := range grains {
			if at.dirty>>g&1 == 0 {
				at.values[g] = v[g]
			}
		}
	}
	at.valid = ^uint32(0)
	l.group.set[tinyLineFills]++
	l.group.set[tinyCoalescedFills]++
}

// passes reports whether a line bypasses the tinyCache: the lane has stored into it and
// written it back since it was asked for.
func (x *load) passes(address uint64) bool {
	for i := range int(x.n) {
		if x.accesses[i].address&^(lineBytes-1) == address && x.accesses[i].older {
			return true
		}
	}
	return false
}

// store writes into the tinyCache, which takes a line without fetching it.
func (l *lane) store(now Cycle, ip, address uint64) {
	l.counts[cpu.Stores]++
	l.group.set[tinyWrites]++
	at := l.data.find(address &^ (lineBytes - 1))
	if at != nil {
		l.group.set[tinyWriteHits]++
	} else {
		at = l.place(now, address&^(lineBytes-1))
	}
	bit := uint32(1) << grain(address)
	at.valid |= bit
	at.dirty |= bit
	if k := l.chip.check; k != nil {
		at.values[grain(address)] = k.Store(l.thread, ip, address)
	}
}

// place makes room for a line in the tinyCache.
func (l *lane) place(now Cycle, address uint64) *line {
	at := l.data.victim(address)
	if at.address != noLine {
		l.evict(now, at)
	}
	l.data.put(at, address)
	if l.chip.check != nil && at.values == nil {
		at.values = new([grains]consistency.Version)
	}
	return at
}

// evict writes back what is dirty of a line.
func (l *lane) evict(now Cycle, x *line) {
	if x.dirty == 0 {
		return
	}
	l.group.set[tinyLineEvictions]++
	r := request{lane: int32(l.number), line: x.address, write: x.dirty}
	if x.values != nil {
		v := *x.values
		r.values = &v
	}
	for i := range l.loads {
		y := &l.loads[i]
		for k := range int(y.n) {
			if y.active && y.accesses[k].address&^(lineBytes-1) == x.address {
				y.accesses[k].older = true
			}
		}
	}
	l.writing++
	l.group.send(now, r)
}

// accessAtOnce reads and writes in the L1, past the tinyCache, which is empty. The lane
// goes on when it has been done.
func (l *lane) accessAtOnce(now Cycle, in *cpu.Instruction) {
	address := in.StoreAddresses[0]
	if in.Stores == 0 {
		address = in.LoadAddresses[0]
	}
	l.counts[cpu.Loads] += uint64(in.Loads)
	l.counts[cpu.Stores] += uint64(in.Stores)
	x := load{active: true, left: 1, n: 1, destinations: in.Destinations}
	r := request{lane: int32(l.number), line: address &^ (lineBytes - 1), atomic: true, write: 1 << grain(address), ip: in.IP, address: address}
	for l.loads[r.slot].active {
		r.slot++
	}
	l.loads[r.slot] = x
	l.loading++
	l.group.set[tinyProbes]++
	l.write(in, never)
	l.atOnce = true // nothing passes it
	l.group.send(now, r)
}

// doneAtOnce ends an atomic access.
func (l *lane) doneAtOnce(now Cycle, slot int32) {
	x := &l.loads[slot]
	for _, r := range x.destinations {
		if r != 0 {
			l.ready[r] = now
		}
	}
	x.active = false
	l.loading--
	l.atOnce = false
	l.wake(now)
}

// written ends a write-back.
func (l *lane) written(now Cycle) {
	l.writing--
	l.wake(now)
}
