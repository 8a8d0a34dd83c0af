// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// By segments, the device keeps the state of one thread block, or of those that run at the
// same time: of their threads, and their shared memory. Each visit is a launch in which only the
// lanes of the visit run.

// turn says which lanes run.
type turn struct {
	// held is the thread block's place among those whose states are on the device, rank
	// that in its cluster.
	held, rank uint64
	warp       int
	lanes      uint32
	// products is the segment's place among those with products of warpgroups; kept says
	// before how many of them shared memory is put back.
	products uint32
	kept     int
	stops    uint32 // at instructions that wait for other lanes
}

// makeRoom takes memory for the state of a thread block, and gives the log of the one warp
// that runs all the room that there is.
func (p *program) makeRoom() error {
	c := p.coexecutor
	p.stride = p.rewritten.State.Bytes + framesAtFirst*p.largestFrame()
	for _, part := range []struct {
		at, have *uint64
		want     uint64
	}{
		{&c.state, &c.stateBytes, p.stateBytes()},
		{&c.shared, &c.sharedBytes, p.sharedBytes()},
		{&c.products, &c.productsBytes, p.productsBytes()},
	} {
		if part.want > maxStates {
			return deviceError(p.kernel, fmt.Errorf("the states of the %d thread blocks that run at the same time take %d bytes, more than %d; record straight through", p.inStep(), part.want, uint64(maxStates)))
		}
		if err := c.hold(part.at, part.have, part.want); err != nil {
			return deviceError(p.kernel, err)
		}
	}
	p.groups = make([]group, p.inStep()*uint64(p.warps))
	p.room = min((c.options.LogBytes-min(c.options.LogBytes, p.segmentLogs()))&^7, maxRoom)
	return nil
}

// hold makes a piece of the device's memory at least as large as wanted; what was in it is
// lost when it grows.
func (c *Coexecutor) hold(at, have *uint64, want uint64) error {
	if *have >= want {
		return nil
	}
	if *have > 0 {
		if err := c.device.Release(*at); err != nil {
			return err
		}
		*have = 0
	}
	var err error
	if *at, err = c.device.Allocate(want); err != nil {
		return err
	}
	*have = want
	return nil
}

// segmentLogs is where the log begins behind the cursors of the warps that are launched.
func (p *program) segmentLogs() uint64 { return cursorBytes(p.launched() * uint64(p.warps)) }

// launched is the number of thread blocks of a launch that runs a segment: those of a cluster
// reach each other's shared memory.
func (p *program) launched() uint64 {
	if p.launch.Cooperative {
		return 1
	}
	return p.inStep()
}

// framesAtFirst is how many frames of the largest size a thread's state has room for before
// a deeper call makes it grow.
const framesAtFirst = 4

func (p *program) stateBytes() uint64 { return max(p.blockStates()*p.inStep(), 16) }

// blockStates is the size of the states of a thread block's threads.
func (p *program) blockStates() uint64 { return p.stride * p.launch.Block.Count() }

// largestFrame is the size of the largest frame of a function.
func (p *program) largestFrame() (n uint64) {
	for _, f := range p.rewritten.Frames[1:] {
		n = max(n, f.Bytes)
	}
	return n
}

// deepen makes room for the frames of calls that a segment ends with, by lanes in mask.
func (c *context) deepen(segment int, mask uint32) error {
	p := c.program
	s := &p.kernel.Segments[segment]
	if p.kernel.PTX.Body[s.First+s.Count-1].Op != ptx.OpCall {
		return nil
	}
	need := uint64(0)
	for m := mask; m != 0; m &= m - 1 {
		list := c.frames[bits.TrailingZeros32(m)]
		need = max(need, list[len(list)-1].state+p.rewritten.Frames[s.Unit].Bytes+p.largestFrame())
	}
	if need <= p.stride {
		return nil
	}
	d, threads, old := p.coexecutor.device, p.launch.Block.Count()*p.inStep(), p.stride
	states := make([]byte, old*threads)
	if err := d.Read(states, p.coexecutor.state); err != nil {
		return err
	}
	p.stride = memory.AlignUp(need+need/2, 16)
	if p.stride*threads > maxStates {
		return fmt.Errorf("thread block %d: calls are %d deep, and the frames of its threads take more than %d bytes; does a recursion not end?", c.block, len(c.frames[bits.TrailingZeros32(mask)]), uint64(maxStates))
	}
	if err := p.coexecutor.hold(&p.coexecutor.state, &p.coexecutor.stateBytes, p.stateBytes()); err != nil {
		return err
	}
	grown := make([]byte, p.stateBytes())
	for t := range threads {
		copy(grown[t*p.stride:], states[t*old:(t+1)*old])
	}
	return d.Write(p.coexecutor.state, grown)
}

// maxStates bounds the memory for the states of threads.
const maxStates = 1<<32 - 1

func (p *program) sharedBytes() uint64 { return max(p.blockShared()*p.inStep(), 16) }

// blockShared is the size of a thread block's shared memory between segments.
func (p *program) blockShared() uint64 {
	return p.rewritten.State.SharedBytes + memory.AlignUp(uint64(p.launch.DynamicShared), 16)
}

// beginBlock makes the state that of the begin of a thread block, at a place in the row, and
// of all that run at the same time.
func (p *program) beginBlock(place uint64) error {
	first := place - place%p.inStep()
	if p.current == first {
		return nil
	}
	p.current = first
	clear(p.groups)
	c := p.coexecutor
	if err := c.device.Clear(c.state, p.stateBytes()); err != nil {
		return deviceError(p.kernel, err)
	}
	if err := c.device.Clear(c.shared, p.sharedBytes()); err != nil {
		return deviceError(p.kernel, err)
	}
	return nil
}

// runSegment runs a segment on the device and reads its log.
func (c *context) runSegment(segment int, mask uint32, r *coexecution.Record) error {
	p := c.program
	if err := c.deepen(segment, mask); err != nil {
		return deviceError(p.kernel, err)
	}
	t := turn{lanes: mask, stops: c.stopsIn(segment, mask, r)}
	if err := c.beginProducts(segment, &t); err != nil {
		return deviceError(p.kernel, err)
	}
	if err := c.runTurn(t); err != nil {
		return err
	}
	if err := c.endProducts(segment, &t); err != nil {
		return deviceError(p.kernel, err)
	}
	return nil
}

// runTurn runs lanes of the context's warp and reads what they log.
func (c *context) runTurn(t turn) error {
	p := c.program
	t.held, t.rank, t.warp = c.place%p.inStep(), c.place%p.launched(), c.identity.Warp
	c.stops = t.stops
	log, err := p.runLanes(c.place, t)
	if err != nil {
		return deviceError(p.kernel, err)
	}
	c.read(log, t.lanes)
	return c.err
}

// runLanes launches a thread block, or its cluster, in which only some lanes of a warp run.
func (p *program) runLanes(place uint64, t turn) ([]byte, error) {
	c, n, logs := p.coexecutor, p.launched(), p.segmentLogs()
	p.turn = t
	number := t.rank*uint64(p.warps) + uint64(t.warp)
	if err := c.device.Clear(c.log, logs); err != nil {
		return nil, err
	}
	// The warp's log, which is at its place among those of all warps, is the only one.
	p.first = place - t.rank
	if err := p.control(p.first, c.log+logs-number*p.room); err != nil {
		return nil, err
	}
	if err := p.run(p.first, n); err != nil {
		return nil, err
	}
	c.Counts.Waves++
	if err := p.readLayout(); err != nil {
		return nil, err
	}
	var cursor [4]byte
	if err := c.device.Read(cursor[:], c.log+4*number); err != nil {
		return nil, err
	}
	bytes := binary.LittleEndian.Uint32(cursor[:])
	if uint64(bytes) > p.room {
		return nil, fmt.Errorf("the log of %d bytes a warp is too small for one segment, which logs %d bytes; give it more (--gpu-log)", p.room, bytes)
	}
	log := make([]byte, bytes)
	if err := c.device.Read(log, c.log+logs); err != nil {
		return nil, err
	}
	if err := errors.Join(p.mirrorShared(), p.takeHeap(), p.takeImages()); err != nil {
		return nil, err
	}
	c.Counts.LogBytes += uint64(bytes)
	if c.options.Alter != nil {
		c.options.Alter(log)
	}
	return log, nil
}

// reduced gives the function that stores a barrier's reduction in the state of lanes; nil
// straight through, where the device has done it.
func (c *context) reduced(in *ptx.Instruction) func(mask, value uint32) {
	p := c.program
	if p.mode == contamination.Straight || in.Operands[0].Kind != ptx.OperandRegister {
		return nil
	}
	slot, lives := p.rewritten.Slots[in.Operands[0].Register.Index]
	if !lives {
		return nil
	}
	return func(mask, value uint32) {
		word := binary.LittleEndian.AppendUint32(nil, value)
		for m := mask; m != 0 && c.err == nil; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			thread, frames := uint64(32*c.identity.Warp+lane), c.frames[lane]
			c.err = p.coexecutor.device.Write(p.coexecutor.state+c.place%p.inStep()*p.blockStates()+thread*p.stride+frames[len(frames)-1].state+slot, word)
		}
	}
}
