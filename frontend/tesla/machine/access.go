// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/tesla/language"
)

// access is LD and ST: each row is served as far as its banks can, and the warp comes
// again for the lanes that were not (3.5).
func (p *multiprocessor) access(w *warp, in language.Instruction, u update) (update, error) {
	if w.whole == 0 {
		a := p.addresses(w, in)
		p.m.watch.access(p, w, in, &a)
		w.path.Accesses = append(w.path.Accesses, a)
	}
	whole := w.mask
	if w.whole != 0 {
		whole = w.whole
	}
	if err := p.checkAgain(w, in); err != nil {
		return u, err
	}
	next, lost := Lanes(0), false
	for row := range p.m.rows() {
		lanes := p.rowOf(row) & w.mask
		losers := p.serve(w, in, lanes)
		if losers != 0 {
			next |= losers
			lost = true
		} else {
			next |= lanes
		}
	}
	u.mask = whole
	if lost {
		u.pc, u.mask, u.whole = w.pc, next, whole
	}
	return u, nil
}

// rowOf are the lanes of a row.
func (p *multiprocessor) rowOf(row int) Lanes {
	return first(p.m.Processors) << (row * p.m.Processors)
}

// serve does the accesses of a row that its banks allow; the rest are its losers. In each
// bank the lowest lane's address wins, and all lanes with it are served.
func (p *multiprocessor) serve(w *warp, in language.Instruction, lanes Lanes) (losers Lanes) {
	var winner [language.MaxWarpWidth]int // by bank: one more than the lane
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros64(uint64(lanes))
		address := p.address(w, in, lane)
		bank := &winner[int(address)%p.m.Processors]
		first := *bank == 0
		if first {
			*bank = lane + 1
		}
		switch by := *bank - 1; {
		case !first && p.address(w, in, by) != address:
			losers |= 1 << lane
		case in.Opcode == language.ST:
			if first {
				p.shared[address] = p.get(w, lane, in.B)
			}
		default:
			p.loaded[lane] = p.shared[address]
			p.hasLoaded |= 1 << lane
		}
	}
	for ; p.hasLoaded != 0; p.hasLoaded &= p.hasLoaded - 1 { // written back when all have read
		lane := bits.TrailingZeros64(uint64(p.hasLoaded))
		p.set(w, lane, in.D, p.loaded[lane])
	}
	return losers
}

// address is the word of shared memory that a lane names.
func (p *multiprocessor) address(w *warp, in language.Instruction, lane int) uint32 {
	return p.get(w, lane, in.A) & (1<<p.m.SharedAddressBits - 1)
}

// addresses are those of all lanes of a warp.
func (p *multiprocessor) addresses(w *warp, in language.Instruction) Access {
	bitsOf, used := p.m.SharedAddressBits, &p.m.result.SharedWords
	if in.Opcode == language.LDC {
		bitsOf, used = p.m.ConstantAddressBits, &p.m.result.ConstantWords
	}
	a := Access{Mask: w.mask}
	for lane := range p.m.WarpWidth {
		if w.mask>>lane&1 == 0 {
			continue
		}
		full := p.get(w, lane, in.A)
		a.Address[lane] = full & (1<<bitsOf - 1)
		p.m.result.Wraps = p.m.result.Wraps || a.Address[lane] != full
		*used = max(*used, int(a.Address[lane])+1)
	}
	return a
}

// checkAgain refuses a load that runs again with another address, because it has loaded
// into the register of its address: the trace holds one address for a lane.
func (p *multiprocessor) checkAgain(w *warp, in language.Instruction) error {
	if w.whole == 0 || in.Opcode != language.LD || in.D != in.A {
		return nil
	}
	first := &w.path.Accesses[len(w.path.Accesses)-1]
	for lane := range p.m.WarpWidth {
		if w.mask>>lane&1 != 0 && p.address(w, in, lane) != first.Address[lane] {
			return p.m.fault(p, w, w.pc, "a bank conflict in another row makes lane %d load again, from the address that it has loaded; load into another register", lane)
		}
	}
	return nil
}

// loadConstant is LDC: the row's lowest enabled lane gives the address for all.
func (p *multiprocessor) loadConstant(w *warp, in language.Instruction) {
	a := p.addresses(w, in)
	p.m.watch.constant(w, in, &a)
	w.path.Accesses = append(w.path.Accesses, a)
	for row := range p.m.rows() {
		lanes := p.rowOf(row) & w.mask
		if lanes == 0 {
			continue
		}
		value := p.m.constants[a.Address[bits.TrailingZeros64(uint64(lanes))]]
		for ; lanes != 0; lanes &= lanes - 1 {
			p.set(w, bits.TrailingZeros64(uint64(lanes)), in.D, value)
		}
	}
}
