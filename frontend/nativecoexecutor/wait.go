// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// By segments the host waits for mbarriers in the device's place: a warp whose wait fails gets
// its next turn when the phase has completed, as the interpreter's warps do. For that it looks
// at the thread block's shared memory between segments. What an mbarrier is made of is opaque
// (9.7.13.15.1), so that this is for the project's own device only.

// checkBarriers refuses what cannot be saved between segments: mbarriers, which the host cannot
// read, and what mapa gives, since each segment is a launch.
func (c *Coexecutor) checkBarriers(k *contaminator.Kernel) error {
	if c.own {
		return nil
	}
	for i := range k.PTX.Body {
		if in := &k.PTX.Body[i]; in.Op == ptx.OpMbarrier || in.Named("[mbar]") != nil {
			return fmt.Errorf("%s: %s cannot be contaminated: an mbarrier is opaque, so that it cannot be saved between segments; record straight through", in.Position, mnemonic(in))
		} else if in.Op == ptx.OpMapa {
			return fmt.Errorf("%s: %s cannot be contaminated: an address of another thread block is that of one launch, and cannot be saved between segments; record straight through", in.Position, mnemonic(in))
		}
	}
	return nil
}

func waitsForBarriers(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Op == ptx.OpMbarrier })
}

// mirrorShared reads the shared memory of what was launched as it is between segments.
func (p *program) mirrorShared() error {
	if p.mode == contamination.Straight || !p.waits {
		return nil
	}
	if n := int(p.sharedBytes()); len(p.mirror) != n {
		p.mirror = make([]byte, n)
	}
	from := (p.turn.held - p.turn.rank) * p.blockShared()
	launched := p.mirror[from : from+p.launched()*p.blockShared()]
	before := bytes.Clone(launched)
	if err := p.coexecutor.device.Read(launched, p.coexecutor.shared+from); err != nil {
		return err
	}
	if !bytes.Equal(before, launched) {
		p.failed = 0
	}
	return nil
}

// maxFailed is how often waits may fail before shared memory changes.
const maxFailed = 4096

// wait takes what mbarriers' phases are compared with, and lets the warp wait where the
// comparison failed in a lane. Straight through the log has the answer, of all lanes in mask.
func (c *context) wait(i int, site *contamination.Site, mask, executes uint32, r *coexecution.Record) error {
	p := c.program
	addresses := &r.Accesses[len(r.Accesses)-1]
	if err := c.operand(i, site.Phase, executes); err != nil {
		return err
	}
	in := &p.kernel.PTX.Body[i]
	for m := executes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		parity := uint8(c.values[lane] >> 63)
		if in.Mods.Has(ptx.ModParity) {
			parity = uint8(c.values[lane] & 1)
		}
		c.numbers[lane] = trace.Look{Parity: parity}.Number()
	}
	if p.mode == contamination.Straight {
		return c.answer(i, site, mask, executes)
	}
	for m := executes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		at := addresses.Addresses[lane]
		if addresses.Strided {
			at = addresses.Base + uint64(lane)*uint64(addresses.Stride)
		}
		b := p.sharedAt(at, 8)
		if b == nil {
			return c.wrong(p.numbers[i], 1<<lane, fmt.Sprintf("no mbarrier is at 0x%x", at))
		}
		word, v := binary.LittleEndian.Uint64(b), c.values[lane]
		done := (word^v)&coexecution.MbarrierPhase != 0
		if in.Mods.Has(ptx.ModParity) {
			done = word>>63 != v&1
		}
		c.answered(lane, done)
		if done {
			continue
		}
		r.Yield = true
		r.Await = coexecution.Await{Instruction: i, Address: at, Memory: b, Phase: word & coexecution.MbarrierPhase}
		if p.failed++; p.failed > maxFailed {
			return deviceError(p.kernel, fmt.Errorf("%s: warp %d of thread block %d waits for an mbarrier whose phase does not end: %s", in.Position, c.identity.Warp, c.block, r.Await.State()))
		}
	}
	return nil
}

// answer takes what looks at mbarriers gave on the device.
func (c *context) answer(i int, site *contamination.Site, mask, executes uint32) error {
	if site.Answer == nil {
		return nil
	}
	return c.take(c.program.numbers[i], mask, contamination.KindGuard, contamination.KindGuard, func(r *contamination.Record, group uint32) {
		for m := executes & group; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			c.answered(lane, r.Holds>>lane&1 != 0)
		}
	})
}

// answered notes what a lane's look at an mbarrier gave.
func (c *context) answered(lane int, passed bool) {
	l := trace.LookOf(c.numbers[lane])
	l.Passed, l.Known = passed, true
	c.numbers[lane] = l.Number()
}

// atMbarrier takes what lanes bring to an mbarrier, and adds it to the words of their addresses.
func (c *context) atMbarrier(i int, site *contamination.Site, mask, executes uint32, r *coexecution.Record) error {
	in := &c.program.kernel.PTX.Body[i]
	switch {
	case site.Phase != nil:
		if err := c.wait(i, site, mask, executes, r); err != nil {
			return err
		}
	case executes == 0:
	case site.Number == nil:
		for lane := range c.numbers {
			c.numbers[lane] = 1
		}
	default:
		if err := c.operand(i, site.Number, executes); err != nil {
			return err
		}
		for m := executes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			v := c.values[lane]
			if site.Number.Kind == ptx.OperandAddress {
				if !contamination.Logged(site.Number) {
					v = c.static(site.Number, true)
				}
				at, ok := c.program.places.translate(ptx.SpaceShared, v, c.rank())
				if !ok {
					return c.wrong(c.program.numbers[i], 1<<lane, fmt.Sprintf("%s: no mbarrier is at 0x%x", mnemonic(in), v))
				}
				v = at & (1<<trace.ClusterRankShift - 1)
			}
			c.numbers[lane] = uint32(v)
		}
	}
	if executes == 0 {
		return nil
	}
	a := &r.Accesses[len(r.Accesses)-1]
	for m := executes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		at := a.Addresses[lane]
		if a.Strided {
			at = a.Base + uint64(lane)*uint64(a.Stride)
		}
		a.Addresses[lane] = trace.WithNumber(at, c.numbers[lane])
	}
	a.Strided = false
	return nil
}

// sharedAt gives bytes of shared memory at an address of the trace; nil where nothing is.
func (p *program) sharedAt(at, n uint64) []byte {
	if dynamic := memory.AlignUp(p.kernel.SharedBytes, uint64(max(p.kernel.DynamicSharedAlign, 1))); at >= dynamic {
		at = at - dynamic + p.rewritten.State.SharedBytes
	}
	if at+n > p.blockShared() {
		return nil
	}
	at += p.turn.held * p.blockShared()
	return p.mirror[at : at+n : at+n]
}
