// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// sampling is an access to a texture or surface. The log has handles and coordinates; which
// texels they mean is worked out as the interpreter does it.
type sampling struct {
	texture bool
	fetch   memory.Fetch
	surface memory.SurfaceAccess
}

// samplingOf lists the accesses to textures and surfaces by instruction; nil without any.
func samplingsOf(body []ptx.Instruction) map[int]*sampling {
	var list map[int]*sampling
	for i := range body {
		in := &body[i]
		if !contamination.Sampled(in) {
			continue
		}
		if list == nil {
			list = map[int]*sampling{}
		}
		if in.Op.Surface() {
			list[i] = &sampling{surface: memory.SurfaceAccessOf(in)}
		} else {
			list[i] = &sampling{texture: true, fetch: memory.FetchOf(in)}
		}
	}
	return list
}

// sample gives the addresses of an access to a texture or surface.
func (c *context) sample(i int, site *contamination.Site, executes uint32, a *coexecution.AccessRecord) error {
	p, o := c.program, site.Address
	if executes == 0 {
		a.Strided, a.Base, a.Stride = true, uint64(o.Offset), 0
		return nil
	}
	a.Strided = false
	handles := &a.Addresses // each lane's address takes the place of its handle
	if contamination.Logged(o) {
		if err := c.operand(i, o, executes); err != nil {
			return err
		}
		*handles = c.values
	} else {
		for lane := range handles {
			handles[lane] = p.launch.Addresses[o.Variable] + uint64(o.Offset)
		}
	}
	if err := c.readCoordinates(i, site, executes); err != nil {
		return err
	}
	s := p.samplings[i]
	for m := executes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		t := p.launch.Memory.Texture(handles[lane])
		if t == nil || t.Memory.Freed {
			return c.wrong(p.numbers[i], 1<<lane, fmt.Sprintf("%s of 0x%x, which is no texture's handle", mnemonic(&p.kernel.PTX.Body[i]), handles[lane]))
		}
		if err := p.coexecutor.textures.use(t, contamination.ViewOf(&p.kernel.PTX.Body[i])); err != nil {
			return deviceError(p.kernel, fmt.Errorf("%s: %w", p.kernel.PTX.Body[i].Position, err))
		}
		at, why := s.address(t, &c.coordinates[lane])
		if why != "" {
			return c.wrong(p.numbers[i], 1<<lane, why)
		}
		a.Addresses[lane] = at
	}
	return nil
}

// coordinates are those of an access in the order of the instruction, and tld4's offsets.
type coordinates [maxCoordinates]uint32

const maxCoordinates = 5 // tld4.a2d: a layer, two coordinates, two offsets

// readCoordinates takes the lanes' coordinates from the log.
func (c *context) readCoordinates(i int, site *contamination.Site, lanes uint32) error {
	pairs, half := site.Pairs(), 0
	for lane := range c.coordinates { // a gather without offsets has zeros
		clear(c.coordinates[lane][len(site.Coordinates):])
	}
	for n := range site.Coordinates {
		o := &site.Coordinates[n]
		if !contamination.Logged(o) {
			for lane := range c.coordinates {
				c.coordinates[lane][n] = uint32(o.Value)
			}
			continue
		}
		if half == 0 {
			if err := c.operand(i, pairs[0].Low, lanes); err != nil {
				return err
			}
			pairs = pairs[1:]
		}
		for lane, v := range c.values {
			c.coordinates[lane][n] = uint32(v >> (32 * half))
		}
		half ^= 1
	}
	return nil
}

// address is where a texture is accessed, and what stands against it.
func (s *sampling) address(t *memory.BoundTexture, c *coordinates) (address uint64, why string) {
	if s.texture {
		if why = s.fetch.Against(t); why != "" {
			return 0, why
		}
		n := s.fetch.Count()
		_, address = t.Fetch(&s.fetch, [3]uint32(c[:3]), [2]uint32(c[n:n+2]))
		return address &^ 3, ""
	}
	if why = s.surface.Against(t); why != "" {
		return 0, why
	}
	place, _ := t.SurfacePlace(&s.surface, [3]uint32(c[:3]))
	return t.Memory.Base + place, ""
}
