// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"

	"github.com/warptape/warptape/frontend/tesla/language"
)

// Dependence is a reason why a kernel may do something else in another configuration.
type Dependence struct {
	On DependsOn
	// Instruction at which it was found first.
	Instruction int
	Reason      string
}

// DependsOn says on what.
type DependsOn uint8

// What a kernel may depend on.
const (
	// OnRows: on which lanes are in a row, by SP_PER_MP.
	OnRows DependsOn = iota
	// OnReplays: on which lanes run again for others, by SP_PER_MP, too.
	OnReplays
	// OnTiming: on the order of warps, which all parameters change.
	OnTiming
	// OnWarp: on the order of what lanes of one warp do, which in narrower warps are in
	// several.
	OnWarp
	// OnWidth: on what lanes of one warp do apart, by WARP_WIDTH.
	OnWidth
	dependsCount
)

var dependsNames = [dependsCount]string{"rows", "replays", "timing", "the lanes of a warp", "the width of warps"}

func (d DependsOn) String() string { return dependsNames[d] }

// dependences watch a run. One of each kind is kept, the first.
type dependences struct {
	m     *machine
	list  []Dependence
	found [dependsCount]bool
	words []wordUse
	regs  []uint8 // scratch
	// count is the number of the present access, from one on.
	count uint64
}

func newDependences(m *machine) dependences {
	return dependences{m: m, words: make([]wordUse, 1<<m.SharedAddressBits)}
}

func (d *dependences) note(on DependsOn, instruction int, format string, arguments ...any) {
	if d.found[on] {
		return
	}
	d.found[on] = true
	in := d.m.kernel.Instructions[instruction]
	d.list = append(d.list, Dependence{on, instruction, fmt.Sprintf("%s: %s: %s", d.m.kernel.Place(instruction), in, fmt.Sprintf(format, arguments...))})
}

// What stands for the number of the block, warp or thread that accessed a word, when there
// is none or more than one.
const (
	nobody  = -1
	several = -2
)

// wordUse says what used a word of shared memory: which blocks ever, and, of the block that
// did last, which warps since its last barrier. Multiprocessors have memories of their
// own, but with fewer of them the blocks would share one.
type wordUse struct {
	used                    bool
	readBlock, writtenBlock int64
	block                   int64
	epoch                   int
	readWarp, writtenWarp   int64
	// Of the warps, the threads, and the access that wrote last.
	readThread, writtenThread int64
	written                   uint64
}

func joined(who, now int64) int64 {
	if who == nobody || who == now {
		return now
	}
	return several
}

func others(who, now int64) bool { return who != nobody && who != now }

// use notes that a lane uses a word. Two warps race where one of them writes, unless a barrier
// of their block stands between; so would two lanes of a warp in warps of their own.
func (d *dependences) use(w *warp, pc, lane int, address uint32, writes bool) {
	u := &d.words[address]
	block, warp, thread := int64(w.block), int64(w.number), int64(w.number*d.m.WarpWidth+lane)
	if !u.used {
		*u = wordUse{used: true, readBlock: nobody, writtenBlock: nobody, block: block - 1}
	}
	if others(u.writtenBlock, block) || writes && others(u.readBlock, block) {
		d.note(OnTiming, pc, "thread block %d uses word %d of shared memory, which another one writes or reads; thread blocks on one multiprocessor share it", w.block, address)
	}
	if u.block != block || u.epoch != w.epoch {
		u.block, u.epoch, u.readWarp, u.writtenWarp = block, w.epoch, nobody, nobody
		u.readThread, u.writtenThread, u.written = nobody, nobody, 0
	}
	if others(u.writtenWarp, warp) || writes && others(u.readWarp, warp) {
		d.note(OnTiming, pc, "warp %d of thread block %d uses word %d of shared memory, which another warp writes or reads without a barrier between", w.number, w.block, address)
	} else if others(u.writtenThread, thread) && u.written != d.count || writes && others(u.readThread, thread) {
		d.note(OnWarp, pc, "lane %d of warp %d of thread block %d uses word %d of shared memory, which another lane writes or reads without a barrier between", lane, w.number, w.block, address)
	}
	if writes {
		u.writtenBlock, u.writtenWarp = joined(u.writtenBlock, block), joined(u.writtenWarp, warp)
		u.writtenThread, u.written = joined(u.writtenThread, thread), d.count
	} else {
		u.readBlock, u.readWarp, u.readThread = joined(u.readBlock, block), joined(u.readWarp, warp), joined(u.readThread, thread)
	}
}

// access watches LD and ST.
func (d *dependences) access(p *multiprocessor, w *warp, in language.Instruction, a *Access) {
	d.count++
	for lane := range d.m.WarpWidth {
		if a.Mask>>lane&1 == 0 {
			continue
		}
		d.use(w, w.pc, lane, a.Address[lane], in.Opcode == language.ST)
		if in.Opcode == language.ST && !d.found[OnRows] {
			d.sameAddress(p, w, in, a, lane)
		}
	}
	if in.Opcode == language.LD && in.D == in.A && d.conflicts(a) {
		d.note(OnReplays, w.pc, "a bank conflict makes lanes without one load again, from the address that they have loaded")
	}
}

// sameAddress finds a lane below that stores something else to the same address.
func (d *dependences) sameAddress(p *multiprocessor, w *warp, in language.Instruction, a *Access, lane int) {
	for other := range lane {
		if a.Mask>>other&1 != 0 && a.Address[other] == a.Address[lane] && p.get(w, other, in.B) != p.get(w, lane, in.B) {
			d.note(OnRows, w.pc, "lanes %d and %d store different values to word %d of shared memory; the row's lowest lane, and of the rows the last, wins", other, lane, a.Address[lane])
			return
		}
	}
}

// conflicts reports whether lanes of one row conflict with some number of processors.
func (d *dependences) conflicts(a *Access) bool {
	for processors := 2; processors <= d.m.WarpWidth; processors *= 2 {
		for lane := range d.m.WarpWidth {
			for other := lane / processors * processors; other < lane; other++ {
				if a.Mask>>lane&1 != 0 && a.Mask>>other&1 != 0 && a.Address[lane] != a.Address[other] &&
					int(a.Address[lane])%processors == int(a.Address[other])%processors {
					return true
				}
			}
		}
	}
	return false
}

// constant watches LDC.
func (d *dependences) constant(w *warp, in language.Instruction, a *Access) {
	first := -1
	for lane := range d.m.WarpWidth {
		switch {
		case a.Mask>>lane&1 == 0:
		case first < 0:
			first = lane
		case d.m.constants[a.Address[lane]] != d.m.constants[a.Address[first]]:
			d.note(OnRows, w.pc, "lanes %d and %d ask for different constants, and the row's lowest lane decides for all", first, lane)
			return
		}
	}
}

// reads watches for registers that the thread has not written: their values are those
// of the thread that had the register before.
func (d *dependences) reads(p *multiprocessor, w *warp, in language.Instruction) {
	if d.found[OnTiming] {
		return
	}
	d.regs = in.Reads(d.regs[:0])
	for _, r := range d.regs {
		for lane := range d.m.WarpWidth {
			if w.mask>>lane&1 != 0 && w.written[lane]>>r&1 == 0 {
				d.note(OnTiming, w.pc, "lane %d of warp %d of thread block %d reads r%d, which it has not written; the value is that of the thread that had the register before, zero at first", lane, w.number, w.block, r)
				return
			}
		}
	}
}

// barrier watches for barriers to which some lanes of a warp come, and others later: a
// warp that has only some of them comes at another time.
func (d *dependences) barrier(w *warp) {
	if w.mask != w.all {
		d.note(OnWidth, w.pc, "lanes %s of warp %d of thread block %d come to the barrier, and others wait for them to meet again", d.m.hex(w.mask), w.number, w.block)
	}
}
