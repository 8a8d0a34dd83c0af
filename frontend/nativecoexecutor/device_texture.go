// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// textures are those of the program on the device. A recording's texture is a part of global
// memory; on a GPU it is an array, which has its texels in another order. So arrays are made
// like the memory before a launch, and the memory like the arrays after surfaces were
// written.
type textures struct {
	memory *memory.Memory
	// What arrays are made for: surfaces, and tld4.
	surfaces, gathers bool
	arrays            map[arrayKey]*deviceArray
	made              map[*memory.BoundTexture]*deviceTexture
	table             uint64
	tableBytes        uint64
	rows              []byte // what the table has
	handles           uint32
}

// arrayKey tells which textures are views of one array.
type arrayKey struct {
	memory *memory.Allocation
	offset uint64
	row    int
	shape  driver.ArrayShape
}

type deviceArray struct {
	*driver.Array
	there []byte // what is known to be in it
	// In a launch: used says that a texture of it was accessed, stale that its memory was
	// written otherwise.
	used, stale bool
}

type deviceTexture struct {
	array *deviceArray // nil of one that is on linear memory
	views [contamination.Views]uint64
	wrong [contamination.Views]error // why a view could not be made
}

// textureNeeds is what a kernel does with textures.
type textureNeeds struct {
	any, gathers, surfaces, stores bool
	views                          [contamination.Views]bool
}

func needsOf(body []ptx.Instruction) (n textureNeeds) {
	for i := range body {
		in := &body[i]
		if !contamination.Textured(in) {
			continue
		}
		n.any = true
		n.gathers = n.gathers || in.Op == ptx.OpTld4
		n.stores = n.stores || in.Op == ptx.OpSust || in.Op == ptx.OpSured
		n.views[contamination.ViewOf(in)] = true
	}
	n.surfaces = n.views[contamination.ViewSurface]
	return n
}

// prepareTextures makes the program's textures on the device, and the table of handles.
func (p *program) prepareTextures() error {
	if !p.needs.any {
		return nil
	}
	c := p.coexecutor
	t := &c.textures
	if t.memory != p.launch.Memory || p.needs.surfaces && !t.surfaces || p.needs.gathers && !t.gathers {
		if err := c.releaseTextures(); err != nil {
			return err
		}
		*t = textures{memory: p.launch.Memory, surfaces: t.surfaces || p.needs.surfaces, gathers: t.gathers || p.needs.gathers,
			arrays: map[arrayKey]*deviceArray{}, made: map[*memory.BoundTexture]*deviceTexture{}, table: t.table, tableBytes: t.tableBytes}
	}
	rows := make([]byte, contamination.RowBytes*(len(p.module.rewritten.References)+1)) // that of handle 0 as well
	handles := uint32(1)
	for ; ; handles++ {
		b := p.launch.Memory.Texture(uint64(handles))
		if b == nil {
			break
		}
		row, err := p.textureRow(b)
		if err != nil {
			return err
		}
		rows = append(rows, row...)
	}
	for key, a := range t.arrays {
		if key.memory.Freed {
			delete(t.arrays, key)
			if err := a.Release(); err != nil {
				return err
			}
		}
	}
	for i, v := range p.module.rewritten.References {
		if h := p.launch.Addresses[v]; h > 0 && h < uint64(handles) {
			at := contamination.RowBytes * (len(p.module.rewritten.References) + int(h))
			copy(rows[contamination.RowBytes*i:], rows[at:at+contamination.RowBytes])
			binary.LittleEndian.PutUint64(rows[contamination.RowBytes*i+contamination.RowHandle:], h)
		}
	}
	t.handles = handles
	return c.writeTable(rows)
}

func (c *Coexecutor) writeTable(rows []byte) error {
	t := &c.textures
	if bytes.Equal(t.rows, rows) {
		return nil
	}
	if t.tableBytes < uint64(len(rows)) {
		if t.tableBytes > 0 {
			if err := c.device.Release(t.table); err != nil {
				return err
			}
			t.tableBytes = 0
		}
		var err error
		if t.table, err = c.device.Allocate(2 * uint64(len(rows))); err != nil {
			return err
		}
		t.tableBytes = 2 * uint64(len(rows))
	}
	t.rows = rows
	return c.device.Write(t.table, rows)
}

// textureRow makes the views of a texture that the kernel needs, and gives their handles.
func (p *program) textureRow(b *memory.BoundTexture) ([]byte, error) {
	row := make([]byte, contamination.RowBytes)
	t := &p.coexecutor.textures
	d := t.made[b]
	if b.Memory.Freed {
		if d != nil {
			delete(t.made, b)
			return row, p.coexecutor.releaseTexture(d)
		}
		return row, nil
	}
	if d == nil {
		var err error
		if d, err = p.makeTexture(b); err != nil {
			return nil, err
		}
		t.made[b] = d
	}
	if err := d.array.refresh(texels(b)); err != nil {
		return nil, err
	}
	for v := range contamination.Views {
		if p.needs.views[v] && d.views[v] == 0 && d.wrong[v] == nil {
			d.views[v], d.wrong[v] = p.makeView(b, d, v)
		}
		binary.LittleEndian.PutUint64(row[8*v:], d.views[v])
	}
	return row, nil
}

// texels is a texture's memory, or a copy of its rows without the gaps between them.
func texels(b *memory.BoundTexture) []byte {
	s := b.Sides()
	row := s[0] * b.TexelBytes
	if b.RowBytes == row {
		return b.Memory.Data[b.Offset:][:s[1]*s[2]*row]
	}
	rows := make([]byte, 0, s[1]*row)
	for y := range s[1] {
		rows = append(rows, b.Memory.Data[b.Offset+uint64(y*b.RowBytes):][:row]...)
	}
	return rows
}

// gaps reports whether there are bytes between a texture's rows.
func gaps(b *memory.BoundTexture) bool { return b.RowBytes != b.Width*b.TexelBytes }

// refresh makes an array like the memory.
func (a *deviceArray) refresh(data []byte) error {
	if a == nil {
		return nil
	}
	a.used, a.stale = false, false
	if bytes.Equal(a.there, data) {
		return nil
	}
	a.there = append(a.there[:0], data...)
	return a.Write(data)
}

var textureFormats = map[ptx.Type]driver.Format{
	ptx.F32: driver.FormatF32, ptx.F16: driver.FormatF16, ptx.S8: driver.FormatS8, ptx.S16: driver.FormatS16, ptx.S32: driver.FormatS32,
	ptx.U8: driver.FormatU8, ptx.U16: driver.FormatU16, ptx.U32: driver.FormatU32,
	ptx.B8: driver.FormatU8, ptx.B16: driver.FormatU16, ptx.B32: driver.FormatU32,
}

var textureModes = [...]driver.AddressMode{memory.AddressClamp: driver.AddressClamp, memory.AddressWrap: driver.AddressWrap,
	memory.AddressBorder: driver.AddressBorder, memory.AddressMirror: driver.AddressMirror}

func modesOf(b *memory.BoundTexture) (modes [3]driver.AddressMode) {
	for d, m := range b.Modes {
		modes[d] = textureModes[m]
	}
	return modes
}

// widestArray is the most texels of an array of one dimension (CUDA C++ Programming Guide,
// technical specifications); wider textures are on linear memory.
const widestArray = 131072

// onLinearMemory reports whether a texture has to be on linear memory, and can be.
func onLinearMemory(b *memory.BoundTexture) bool {
	return b.Width > widestArray && b.Dimensions() == 1 && b.Layers == 0 && !b.Linear && !b.Normalized
}

func (p *program) makeTexture(b *memory.BoundTexture) (*deviceTexture, error) {
	c := p.coexecutor
	t := &c.textures
	if onLinearMemory(b) {
		return &deviceTexture{}, nil
	}
	shape := driver.ArrayShape{Width: uint64(b.Width), Height: uint64(b.Height), Depth: uint64(b.Depth), Layers: uint64(b.Layers),
		Format: textureFormats[b.Element], Channels: uint32(b.Channels), Surface: t.surfaces, Gather: t.gathers && b.Dimensions() == 2}
	key := arrayKey{b.Memory, b.Offset, b.RowBytes, shape}
	a := t.arrays[key]
	if a == nil {
		if err := t.overlaps(b, key); t.surfaces && err != nil {
			return nil, err
		}
		made, err := c.device.CreateArray(shape)
		if err != nil {
			return nil, fmt.Errorf("texture %s: %w", b.Name, err)
		}
		a = &deviceArray{Array: made}
		t.arrays[key] = a
	}
	return &deviceTexture{array: a}, nil
}

// overlaps refuses surfaces in memory that another array has in another shape: on a GPU
// they do not share texels.
func (t *textures) overlaps(b *memory.BoundTexture, key arrayKey) error {
	n := span(b.RowBytes, &key.shape)
	for other := range t.arrays {
		if other.memory == key.memory && !other.memory.Freed && key.offset < other.offset+span(other.row, &other.shape) && other.offset < key.offset+n {
			return fmt.Errorf("texture %s shares memory with another texture or surface of another shape, which arrays of a GPU cannot", b.Name)
		}
	}
	return nil
}

// span is the number of bytes from the first texel to the last one.
func span(row int, s *driver.ArrayShape) uint64 {
	return (max(s.Height, 1)*max(s.Depth, s.Layers, 1)-1)*uint64(row) + s.Width*s.TexelBytes()
}

func (p *program) makeView(b *memory.BoundTexture, d *deviceTexture, v contamination.View) (uint64, error) {
	s := driver.Sampling{Modes: modesOf(b), Linear: b.Linear, Normalized: b.Normalized,
		Integers: v == contamination.ViewIntegers && !b.Floats && !b.Element.Float()}
	var handle uint64
	var err error
	switch {
	case v == contamination.ViewSurface && d.array == nil:
		err = fmt.Errorf("a surface has at most %d texels in a row", widestArray)
	case v == contamination.ViewSurface && gaps(b):
		err = errors.New("a surface has no gaps between its rows")
	case v == contamination.ViewSurface:
		handle, err = d.array.CreateSurface()
	case d.array == nil:
		handle, err = p.coexecutor.device.CreateLinearTexture(b.Address, textureFormats[b.Element], uint32(b.Channels), uint64(len(texels(b))), s)
	default:
		handle, err = d.array.CreateTexture(s)
	}
	if err != nil {
		return 0, fmt.Errorf("texture %s: %w", b.Name, err)
	}
	return handle, nil
}

// notMade tells which textures could not be made: a kernel that has failed may have wanted
// them.
func (p *program) notMade() error {
	if !p.needs.any {
		return nil
	}
	var all []error
	for h := uint64(1); p.launch.Memory.Texture(h) != nil; h++ {
		if d := p.coexecutor.textures.made[p.launch.Memory.Texture(h)]; d != nil {
			all = append(all, d.wrong[:]...)
		}
	}
	return errors.Join(all...)
}

// use notes that a texture was accessed in this launch, in a view that the device could make. What a kernel fetches from memory
// that it writes is undefined (CUDA C++ Programming Guide, "Texture Memory").
func (t *textures) use(b *memory.BoundTexture, v contamination.View) error {
	if d := t.made[b]; d != nil && d.wrong[v] != nil {
		return d.wrong[v]
	}
	if d := t.made[b]; d != nil && d.array != nil {
		d.array.used = true
		if d.array.stale {
			return errStale(b)
		}
	}
	return nil
}

func errStale(b *memory.BoundTexture) error {
	return fmt.Errorf("the kernel stores to the memory of texture %s and accesses the texture, too; what it would find there is undefined on GPUs", b.Name)
}

// takeTextures brings what surfaces have written back to memory, which has just been taken
// from the device.
func (p *program) takeTextures() error {
	if !p.needs.any {
		return nil
	}
	c := p.coexecutor
	for h := uint64(1); ; h++ {
		b := p.launch.Memory.Texture(h)
		if b == nil {
			return nil
		}
		d := c.textures.made[b]
		if d == nil || d.array == nil || b.Memory.Freed {
			continue
		}
		a, data := d.array, texels(b)
		if !bytes.Equal(a.there, data) {
			if a.stale = true; a.used {
				return errStale(b)
			}
		}
		if !p.needs.stores || gaps(b) { // no surface is made of rows with gaps
			continue
		}
		now := make([]byte, len(data))
		if err := a.Read(now); err != nil {
			return err
		}
		if bytes.Equal(now, a.there) {
			continue
		}
		if a.stale {
			return errStale(b)
		}
		a.there = append(a.there[:0], now...)
		copy(data, now)
		if err := c.device.Write(b.Address, now); err != nil {
			return err
		}
		c.there[b.Memory] = append(c.there[b.Memory][:0], b.Memory.Data...)
	}
}

// restoreTextures makes arrays again what they were before a wave.
func (p *program) restoreTextures() error {
	if !p.needs.stores {
		return nil
	}
	for _, a := range p.coexecutor.textures.arrays {
		if len(a.there) > 0 {
			if err := a.Write(a.there); err != nil {
				return err
			}
		}
	}
	return nil
}

// releaseTextures gives all arrays and objects back.
func (c *Coexecutor) releaseTextures() error {
	t := &c.textures
	var all []error
	for _, d := range t.made {
		all = append(all, c.releaseTexture(d))
	}
	for _, a := range t.arrays {
		all = append(all, a.Release())
	}
	t.made, t.arrays, t.rows = nil, nil, nil
	return errors.Join(all...)
}

// releaseTexture gives a texture's objects back. Its array stays, which others may have.
func (c *Coexecutor) releaseTexture(d *deviceTexture) error {
	var all []error
	for v, handle := range d.views {
		switch {
		case handle == 0:
		case contamination.View(v) == contamination.ViewSurface:
			all = append(all, c.device.ReleaseSurface(handle))
		default:
			all = append(all, c.device.ReleaseTexture(handle))
		}
	}
	return errors.Join(all...)
}
