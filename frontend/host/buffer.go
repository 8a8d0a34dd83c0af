// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/host/array"
)

// buffer is device memory: made by gpu.buffer, gpu.alloc or gpu.symbol.
type buffer struct {
	name    string
	typ     array.Type
	shape   []int
	address uint64
	// hostAddress is that of the host array that copies go to and come from;
	// zero until the first copy.
	hostAddress uint64
	freed       bool
}

func (b *buffer) elements() int {
	n := 1
	for _, d := range b.shape {
		n *= d
	}
	return n
}

func (b *buffer) bytes() uint64 { return uint64(b.elements()) * uint64(b.typ.Bytes()) }

// String is the buffer as messages name it: "y: f32[1024]".
func (b *buffer) String() string {
	return fmt.Sprintf("%s: %s[%s]", b.name, b.typ, strings.Trim(strings.ReplaceAll(fmt.Sprint(b.shape), " ", ", "), "[]"))
}

func (b *buffer) Type() string          { return "buffer" }
func (b *buffer) Freeze()               {}
func (b *buffer) Truth() starlark.Bool  { return true }
func (b *buffer) Hash() (uint32, error) { return uint32(b.address ^ b.address>>32), nil }
func (b *buffer) Len() int              { return b.elements() }

// Attr gives name, dtype, shape, address and bytes.
func (b *buffer) Attr(name string) (starlark.Value, error) {
	switch name {
	case "name":
		return starlark.String(b.name), nil
	case "dtype":
		return b.typ, nil
	case "shape":
		shape := make(starlark.Tuple, len(b.shape))
		for i, d := range b.shape {
			shape[i] = starlark.MakeInt(d)
		}
		return shape, nil
	case "address":
		return starlark.MakeUint64(b.address), nil
	case "bytes":
		return starlark.MakeUint64(b.bytes()), nil
	}
	return nil, nil
}

func (b *buffer) AttrNames() []string { return []string{"address", "bytes", "dtype", "name", "shape"} }

// usable reports a buffer that was freed.
func (b *buffer) usable() error {
	if b.freed {
		return fmt.Errorf("buffer %s was freed", b.name)
	}
	return nil
}

// part checks a range of elements and gives its device address.
func (b *buffer) part(start, count int) (address uint64, err error) {
	if err := b.usable(); err != nil {
		return 0, err
	}
	if n := b.elements(); start < 0 || count < 0 || start > n-count {
		return 0, fmt.Errorf("elements %d to %d are outside buffer %s", start, start+count, b)
	}
	return b.address + uint64(start)*uint64(b.typ.Bytes()), nil
}
