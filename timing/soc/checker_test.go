// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/seam"
)

// Checker watches the cores and the SMs of a chip. A line has one writer or readers
// among the cores, and loads see the last store. No core keeps a line that the SMs
// write, and what the last-level cache is asked for is what was last written. A write
// of the SMs counts when it reaches the last-level cache: before that it is theirs
// alone.
type Checker struct {
	chip     *system
	Fail     func(message string)
	last     map[uint64]int // version of each line of the cores
	below    map[uint64]int // version that the last-level cache has
	copies   []map[uint64]int
	Written  map[uint64]int // by virtual line: writes of the SMs
	Stores   int            // of cores
	Loads    int
	SMReads  int
	SMWrites int
	// Step is told when a core begins with a step of the timeline.
	Step     func(c *Checker, step int)
	lastStep map[int]int32
}

// Watch lets a checker look at every chip of a replay; other's Attach comes first.
func Watch(k *Checker, other func(*arch.Machine, seam.Path) (func(*replay.Result), error)) func(*arch.Machine, seam.Path) (func(*replay.Result), error) {
	return func(m *arch.Machine, path seam.Path) (func(*replay.Result), error) {
		if c, ok := path.HostSteps.(*system); ok {
			k.attach(c)
		}
		if other == nil {
			return func(*replay.Result) {}, nil
		}
		return other(m, path)
	}
}

func (k *Checker) attach(c *system) {
	k.chip = c
	k.last, k.below, k.Written, k.lastStep = map[uint64]int{}, map[uint64]int{}, map[uint64]int{}, map[int]int32{}
	k.copies = make([]map[uint64]int, c.cpu.Cores)
	for i := range k.copies {
		k.copies[i] = map[uint64]int{}
	}
	c.cores.Watch(k.act)
	c.misses.down = &watchedLower{c.misses.down, k, true}
	c.requests.down = &watchedLower{c.requests.down, k, false}
}

func (k *Checker) fail(format string, args ...any) {
	if k.Fail != nil {
		k.Fail(fmt.Sprintf(format, args...))
		k.Fail = nil // the first is enough
	}
}

// act is a load, a store or a fill of a core.
func (k *Checker) act(core int, a cpu.Act, line uint64) {
	if s := k.chip.host.running[core]; s.stream != nil && k.Step != nil && k.lastStep[core] != s.step+1 {
		k.lastStep[core] = s.step + 1
		k.Step(k, int(s.step))
	}
	k.single(line)
	state, mine := k.chip.cores.State(core, line), k.copies[core]
	if state == coherence.Invalid {
		k.fail("core %d uses line %#x, which it does not have", core, line)
	}
	switch a {
	case cpu.ActStore:
		k.Stores++
		if state != coherence.Modified {
			k.fail("core %d writes line %#x in state %s", core, line, state)
		}
		k.last[line]++
		mine[line] = k.last[line]
	case cpu.ActFill:
		mine[line] = k.last[line]
	case cpu.ActLoad:
		k.Loads++
		if mine[line] != k.last[line] {
			k.fail("core %d reads version %d of line %#x, the last is %d", core, mine[line], line, k.last[line])
		}
	}
}

func (k *Checker) single(line uint64) {
	holders, owners := 0, 0
	for core := range k.copies {
		s := k.chip.cores.State(core, line)
		if s != coherence.Invalid {
			holders++
		}
		if s.Writable() {
			owners++
		}
	}
	if owners > 1 || owners == 1 && holders > 1 {
		k.fail("line %#x has %d writers and %d holders among the cores", line, owners, holders)
	}
}

// watchedLower stands before the last-level cache.
type watchedLower struct {
	seam.Lower
	k   *Checker
	sms bool // for the SMs' L2
}

func (w *watchedLower) Read(now clock.Time, address uint64, bytes int, id uint32) bool {
	k := w.k
	if !w.Lower.Read(now, address, bytes, id) {
		return false
	}
	if w.sms {
		k.SMReads++
	}
	if line := k.line(address); k.below[line] != k.last[line] {
		k.fail("line %#x is read from the last-level cache (for SMs: %v) in version %d, the last is %d", line, w.sms, k.below[line], k.last[line])
	}
	return true
}

func (w *watchedLower) Write(now clock.Time, address uint64, bytes int) bool {
	k := w.k
	var m *miss
	if w.sms {
		p := &k.chip.misses
		m = &p.list[*p.ready.Head()]
	}
	if !w.Lower.Write(now, address, bytes) {
		return false
	}
	line := k.line(address)
	if m != nil && !m.dirty {
		k.SMWrites++
		k.Written[m.virtual&^63]++
		k.last[line]++
		for core := range k.copies {
			if s := k.chip.cores.State(core, line); s != coherence.Invalid {
				k.fail("the SMs write line %#x, which core %d has in state %s", line, core, s)
			}
		}
	}
	k.below[line] = k.last[line]
	return true
}

func (k *Checker) line(address uint64) uint64 {
	return address / uint64(k.chip.cpu.LineBytes) * uint64(k.chip.cpu.LineBytes)
}

// Place is the virtual line of a recorded address.
func (k *Checker) Place(address uint64) uint64 {
	_, virtual := k.chip.layout.place(address)
	return virtual &^ 63
}
