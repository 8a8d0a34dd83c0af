// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"encoding/binary"
	"fmt"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// OpenCL's image functions are part of the contaminated text (see contamination.ImagesHead). The
// host tells them what images there are, and says what was wrong with a call.

// writeImages makes the table of images, with a head that has nothing.
func (p *program) writeImages() error {
	if !p.images {
		return nil
	}
	table, rows := make([]byte, contamination.ImagesHead+contamination.ImageRow), uint32(1)
	for ; ; rows++ {
		t := p.launch.Memory.Texture(uint64(rows))
		if t == nil {
			break
		}
		table = append(table, imageRow(t)...)
	}
	binary.LittleEndian.PutUint32(table[contamination.ImagesCount:], rows)
	c := p.coexecutor
	if err := c.hold(&c.images, &c.imagesBytes, uint64(len(table))); err != nil {
		return err
	}
	return c.device.Write(c.images, table)
}

// imageRow tells of one image; it is zeros where the image's memory was freed.
func imageRow(t *memory.BoundTexture) []byte {
	row := make([]byte, contamination.ImageRow)
	if t.Memory.Freed {
		return row
	}
	put := func(at int, v int) { binary.LittleEndian.PutUint32(row[at:], uint32(v)) }
	binary.LittleEndian.PutUint64(row[contamination.ImageAddress:], t.Memory.Base+t.Offset)
	for d, n := range t.Sides() {
		put(contamination.ImageSides+4*d, n)
	}
	put(contamination.ImageHeight, t.Height)
	put(contamination.ImageDepth, t.Depth)
	put(contamination.ImageLayers, t.Layers)
	put(contamination.ImageChans, t.Channels)
	put(contamination.ImageElement, t.ElementBytes)
	put(contamination.ImageFlags, int(imageFlags(t)))
	put(contamination.ImageShape, int(contamination.ImageShapeOf(t.Dimensions(), t.Layers > 0)))
	suits := uint32(0)
	for _, name := range []string{"read_imagef", "read_imagei", "read_imageui"} {
		if f := (&memory.ImageFunction{Name: name}); f.Suits(t.Element) {
			suits |= contamination.SuitsBit(f)
		}
	}
	put(contamination.ImageSuits, int(suits))
	put(contamination.ImageType, int(t.ImageType()))
	put(contamination.ImageOrder, int(t.ImageOrder()))
	put(contamination.ImageTexel, t.TexelBytes)
	return row
}

// imageFlags tells what the channels of an image are.
func imageFlags(t *memory.BoundTexture) (flags uint32) {
	if t.Element.Signed() {
		flags |= contamination.ImageSigned
	}
	if t.Element == ptx.F16 {
		flags |= contamination.ImageHalf
	}
	if t.BGRA {
		flags |= contamination.ImageBGRA
	}
	return flags
}

// takeImages is the error of a call of an image function that was wrong.
func (p *program) takeImages() error {
	if !p.images {
		return nil
	}
	head := make([]byte, contamination.ImagesHead)
	if err := p.coexecutor.device.Read(head, p.coexecutor.images); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(head[contamination.ImagesWrong:]) == 0 {
		return nil
	}
	number := binary.LittleEndian.Uint32(head[contamination.ImagesFunction:])
	functions := p.kernel.PTX.Module.Functions
	var f *memory.ImageFunction
	if number-1 < uint32(len(functions)) {
		f = memory.ImageFunctionNamed(functions[number-1].Name)
	}
	if f == nil {
		return &contamination.ErrLog{What: fmt.Sprintf("its table of images names function %d", number)}
	}
	handle, sampler := binary.LittleEndian.Uint64(head[contamination.ImagesHandle:]), binary.LittleEndian.Uint64(head[contamination.ImagesSampler:])
	var at [3]uint32
	for d := range at {
		at[d] = binary.LittleEndian.Uint32(head[contamination.ImagesAt+4*d:])
	}
	return fmt.Errorf("%s: %s", p.callsOf(functions[number-1].Name), imageFault(f, p.launch.Memory.Texture(handle), handle, sampler, at))
}

// imageFault says what was wrong with a call of an image function, as the interpreter does.
func imageFault(f *memory.ImageFunction, t *memory.BoundTexture, handle, sampler uint64, at [3]uint32) string {
	switch {
	case t == nil:
		return fmt.Sprintf("%s of 0x%x, which is no image's handle", f.Name, handle)
	case t.Memory.Freed:
		return fmt.Sprintf("%s: the memory of image %s was freed", f.Name, t.Name)
	case f.Against(t) != "":
		return f.Against(t)
	case f.Writes():
		_, why := f.Place(t, at)
		return why
	}
	return f.SamplerAgainst(sampler)
}
