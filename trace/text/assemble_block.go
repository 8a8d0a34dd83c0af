// SPDX-License-Identifier: Apache-2.0

package text

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/chunks"
)

// textWarp is the warp that is being read: what its last visit still has to bring.
type textWarp struct {
	number int
	open   bool
	block  *chunks.BlockPlan
	mask   uint32
	guards []uint32 // of the visit so far
	access int      // accesses of the visit so far
}

// missing says what the visit lacks, nil if it is complete.
func (t *textWarp) missing() error {
	if t.block == nil || len(t.guards) == int(t.block.Guards) && t.access == len(t.block.Accesses) {
		return nil
	}
	return fmt.Errorf("the visit before has %d of %d guard masks and %d of %d accesses",
		len(t.guards), t.block.Guards, t.access, len(t.block.Accesses))
}

func (a *assembler) beginBlock(keyword, rest string) error {
	if a.launch == nil {
		return fmt.Errorf("%s outside a launch", keyword)
	}
	if err := a.endBlock(); err != nil {
		return err
	}
	if keyword == "chunk" {
		a.w.BeginChunk()
		return nil
	}
	id, err := strconv.ParseUint(rest, 10, 64)
	if err != nil {
		return fmt.Errorf("thread block %.40q: want its linear id", rest)
	}
	if a.anyBlock && id <= a.block || id >= a.launch.Grid.Count() {
		return fmt.Errorf("thread block %d: not after %d or not in the grid of %d", id, a.block, a.launch.Grid.Count())
	}
	a.w.BeginBlock(id)
	a.block, a.anyBlock = id, true
	a.inBlock, a.warp, a.warps = true, textWarp{guards: a.warp.guards[:0]}, 0
	return nil
}

func (a *assembler) endBlock() error {
	if !a.inBlock {
		return nil
	}
	if err := a.warp.missing(); err != nil {
		return err
	}
	a.inBlock = false
	a.stored++
	return a.w.EndBlock()
}

func (a *assembler) beginWarp(rest string) error {
	if !a.inBlock {
		return errors.New("warp outside a thread block")
	}
	if err := a.warp.missing(); err != nil {
		return err
	}
	n, err := strconv.ParseUint(rest, 10, 31)
	if err != nil || int(n) < a.warps || int(n) >= a.launch.Warps() {
		return fmt.Errorf("warp %.40q: want ascending numbers up to %d", rest, a.launch.Warps()-1)
	}
	a.warp = textWarp{number: int(n), open: true, guards: a.warp.guards[:0]}
	a.warps = int(n) + 1
	return nil
}

// dynamic takes a visit, guard or access of the current warp.
func (a *assembler) dynamic(keyword, rest string) error {
	t := &a.warp
	if !a.inBlock || !t.open {
		return fmt.Errorf("%s outside a warp", keyword)
	}
	if keyword == "v" {
		return a.visit(rest)
	}
	if t.block == nil {
		return fmt.Errorf("%s before the first visit of the warp", keyword)
	}
	if keyword == "g" {
		mask, err := parseMask(rest)
		if err != nil {
			return err
		}
		if mask&^t.mask != 0 || len(t.guards) == int(t.block.Guards) {
			return fmt.Errorf("guard mask %08x: the visit has lanes %08x and %d guarded instructions", mask, t.mask, t.block.Guards)
		}
		t.guards = append(t.guards, mask)
		a.w.Guard(t.number, mask)
		return nil
	}
	return a.access(keyword, rest)
}

func (a *assembler) visit(rest string) error {
	t := &a.warp
	if err := t.missing(); err != nil {
		return err
	}
	id, mask, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(id, 10, 32)
	plan := a.plans[a.launch.Kernel]
	if err != nil || n >= uint64(len(plan.Blocks)) {
		return fmt.Errorf("visit of basic block %.40q: kernel %q has %d", id, plan.Kernel, len(plan.Blocks))
	}
	if t.mask, err = parseMask(mask); err != nil {
		return err
	}
	if lanes := a.launch.FullMask(t.number); t.mask == 0 || t.mask&^lanes != 0 {
		return fmt.Errorf("visit of lanes %08x: the warp has %08x", t.mask, lanes)
	}
	t.block, t.guards, t.access = &plan.Blocks[n], t.guards[:0], 0
	a.w.Visit(t.number, uint32(n), t.mask)
	return nil
}

// access reads "a MASK BASE STRIDE" or "l MASK ADDRESS...".
func (a *assembler) access(keyword, rest string) error {
	t := &a.warp
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return errors.New("access without a mask")
	}
	mask, err := parseMask(fields[0])
	if err != nil {
		return err
	}
	if t.access == len(t.block.Accesses) || len(t.guards) < int(t.block.Guards) {
		return fmt.Errorf("access out of place: the visit has %d guards, then %d accesses", t.block.Guards, len(t.block.Accesses))
	}
	if want := t.block.Accesses[t.access].Mask(t.mask, t.guards); mask != want {
		return fmt.Errorf("access of lanes %08x: visit and guards imply %08x", mask, want)
	}
	t.access++
	if keyword == "l" {
		return a.explicit(mask, fields[1:])
	}
	if len(fields) != 3 {
		return errors.New("want a MASK BASE STRIDE")
	}
	base, err := strconv.ParseUint(fields[1], 16, 64)
	if err != nil {
		return fmt.Errorf("base %.40q: want a hexadecimal address", fields[1])
	}
	stride, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return fmt.Errorf("stride %.40q: want a decimal number of bytes", fields[2])
	}
	a.w.AccessStrided(t.number, mask, base, stride)
	return nil
}

func (a *assembler) explicit(mask uint32, addresses []string) error {
	if len(addresses) != bits.OnesCount32(mask) {
		return fmt.Errorf("%d addresses for lanes %08x", len(addresses), mask)
	}
	var lanes [trace.WarpSize]uint64
	for m := mask; m != 0; m &= m - 1 {
		address, err := strconv.ParseUint(addresses[0], 16, 64)
		if err != nil {
			return fmt.Errorf("address %.40q: want a hexadecimal address", addresses[0])
		}
		lanes[bits.TrailingZeros32(m)], addresses = address, addresses[1:]
	}
	a.w.Access(a.warp.number, mask, &lanes)
	return nil
}

func parseMask(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("mask %.40q: want 8 hexadecimal digits", text)
	}
	return uint32(n), nil
}
