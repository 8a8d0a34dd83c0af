// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/trace"
)

// A wave is thread blocks that run together, each to its end. How much they log is not known
// before. When a log was too small the wave did not happen: memory becomes what it was
// before, and a wave with larger logs, and fewer thread blocks, begins at the same place.

// maxRoom is the largest log of a warp: cursors have 32 bits, and go on counting behind it up to
// contamination.CursorLimit.
const maxRoom = 1 << 31

// logOf gives what a warp of a thread block has logged, and the program that the block goes
// on with: by segments where its log has no room.
func (p *program) logOf(block uint64, warp int) ([]byte, *program, error) {
	if step := p.inStep(); p.dividedBlock != noBlock && block/step == p.dividedBlock/step {
		return nil, p.divided, nil
	}
	at := (block-p.first)*uint64(p.warps) + uint64(warp)
	if p.wave == nil || block < p.first || at >= uint64(len(p.wave)) {
		err := p.runWave(block)
		var room *noRoomError
		if errors.As(err, &room) {
			if err = p.divide(block, room); err == nil {
				return nil, p.divided, nil
			}
		}
		if err != nil {
			return nil, p, deviceError(p.kernel, err)
		}
		at = uint64(warp)
	}
	return p.wave[at], p, nil
}

// noRoomError says that the log of one thread block is too large.
type noRoomError struct{ what string }

func (e *noRoomError) Error() string { return e.what }

// divide readies the device for a thread block by segments: each boundary between basic
// blocks is one at which the log is read.
func (p *program) divide(block uint64, room *noRoomError) error {
	c := p.coexecutor
	if p.divided == nil {
		if err := c.check(p.kernel, contamination.Segments); err != nil {
			return fmt.Errorf("%w; by segments it cannot go on: %w", room, err)
		}
		p.divided = c.newProgram(p.kernel, contamination.Segments)
	}
	if err := p.divided.begin(p.launch); err != nil {
		return fmt.Errorf("%w; by segments: %w", room, err)
	}
	c.Counts.Divided++
	p.dividedBlock, p.dirty = block, true
	return nil
}

// runWave runs thread blocks from one on, as many as have room for their logs.
func (p *program) runWave(first uint64) error {
	c := p.coexecutor
	if p.dirty { // the thread block before went by segments
		if err := errors.Join(p.writeHeap(), p.writeImages(), p.download()); err != nil {
			return err
		}
		p.dirty = false
	}
	// What a warp can have if one thread block runs by itself, or one cluster.
	step := p.inStep()
	warps := step * uint64(p.warps)
	most := min((c.options.LogBytes-min(c.options.LogBytes, cursorBytes(warps)))/warps&^7, maxRoom)
	p.room = min(p.room, most)
	prints, pointer := contamination.Prints(p.kernel)
	p.quiet = prints && !pointer
	for {
		n := step
		if p.room > 0 {
			n = max(min(c.options.LogBytes/(uint64(p.warps)*(p.room+4)), p.launch.Grid.Count()-first, maxWaveBlocks)/step*step, step)
		}
		need, err := p.try(first, n)
		if err != nil {
			return err
		}
		if need <= p.room && p.quiet {
			if need, err = p.again(first, n); err != nil {
				return err
			}
		}
		if need > p.room && prints && !p.quiet {
			return fmt.Errorf("thread blocks from %d on have printed, and one of their warps logs %d bytes, for which the log of %d bytes has no room; give it more (--gpu-log)", first, need, c.options.LogBytes)
		}
		if need <= p.room {
			c.Counts.Waves++
			p.first = first
			if err := errors.Join(p.takeHeap(), p.takeImages()); err != nil {
				return err
			}
			return p.download()
		}
		if err := p.undo(); err != nil {
			return err
		}
		if need > most {
			return &noRoomError{fmt.Sprintf("the log of %d bytes is too small for thread block %d, of whose %d warps one logs %d bytes%s: give it %d bytes (--gpu-log)",
				c.options.LogBytes, first, p.warps, need, map[bool]string{true: " or more"}[need >= contamination.CursorLimit], cursorBytes(warps)+warps*need)}
		}
		p.room = min((need+need/4+255)&^255, most)
	}
}

// undo makes a wave one that has not happened.
func (p *program) undo() error {
	p.coexecutor.Counts.Repeated++
	return errors.Join(p.coexecutor.restore(p.launch.Memory), p.restoreTextures(), p.givePointers(), p.clearHeap(), p.writeImages())
}

// again runs a wave that has printed nothing, as it is.
func (p *program) again(first, blocks uint64) (need uint64, err error) {
	if err := p.undo(); err != nil {
		return 0, err
	}
	p.quiet = false
	return p.try(first, blocks)
}

// cursorBytes is the size of the cursors of warps, behind which their logs begin.
func cursorBytes(warps uint64) uint64 { return (4*warps + 255) &^ 255 }

const maxWaveBlocks = 1 << 20

// try runs a wave, and gives the size of the longest log. Logs are read if all have room.
func (p *program) try(first, blocks uint64) (need uint64, err error) {
	c, warps := p.coexecutor, blocks*uint64(p.warps)
	for step := p.inStep(); blocks > step && cursorBytes(warps)+warps*p.room > c.options.LogBytes; {
		blocks -= step
		warps = blocks * uint64(p.warps)
	}
	if err := c.device.Clear(c.log, 4*warps); err != nil {
		return 0, err
	}
	logs := c.log + cursorBytes(warps)
	if err := p.control(first, logs); err != nil {
		return 0, err
	}
	if err := p.run(first, blocks); err != nil {
		return 0, err
	}
	cursors := make([]byte, 4*warps)
	if err := c.device.Read(cursors, c.log); err != nil {
		return 0, err
	}
	for at := 0; at < len(cursors); at += 4 {
		need = max(need, uint64(binary.LittleEndian.Uint32(cursors[at:])))
	}
	if need > p.room {
		return need, nil
	}
	if err := p.readLayout(); err != nil {
		return 0, err
	}
	p.wave = make([][]byte, warps)
	for w := range p.wave {
		log := make([]byte, binary.LittleEndian.Uint32(cursors[4*w:]))
		if err := c.device.Read(log, logs+uint64(w)*p.room); err != nil {
			return 0, err
		}
		c.Counts.LogBytes += uint64(len(log))
		if c.options.Alter != nil {
			c.options.Alter(log)
		}
		p.wave[w] = log
	}
	return need, nil
}

// run launches blocks from one on and waits for them.
func (p *program) run(first, blocks uint64) error {
	l := p.launch
	grid := trace.Dim3{X: uint32(blocks), Y: 1, Z: 1}
	var err error
	if l.Cooperative && p.mode == contamination.Straight {
		var places []uint32
		for i := range p.kernel.PTX.Params {
			places = append(places, p.kernel.PTX.Params[i].Offset)
		}
		err = p.function.LaunchCooperative(grid, l.Block, l.DynamicShared, p.arguments, places)
	} else {
		err = p.function.Launch(grid, l.Block, l.DynamicShared, p.arguments)
	}
	if err != nil {
		return err
	}
	err = p.coexecutor.device.Synchronize()
	if err != nil {
		err = errors.Join(err, p.notMade())
	}
	if errors.Is(err, driver.ErrHangs) {
		return fmt.Errorf("thread blocks from %d on are not recorded: one does not end, or takes longer than --gpu-timeout: %w", first, err)
	}
	if driver.Lost(err) {
		return fmt.Errorf("the device has lost its context, thread blocks from %d on are not recorded: %w", first, err)
	}
	return err
}
