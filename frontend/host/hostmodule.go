// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/frontend/host/bounds"
	"github.com/warptape/warptape/trace"
)

func (r *run) hostModule() *starlarkstruct.Module {
	return r.members("host", map[string]function{"compute": r.hostCompute, "file": r.hostFile})
}

// host.compute(name, operations, after=[], reads=[], writes=[]) records that the
// application computes on the CPU. The application goes through the host arrays
// that belong to buffers: those that it reads, then those that it writes. What a
// program computes to make inputs or references is no part of the application, and
// is not recorded.
func (r *run) hostCompute(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var operations uint64
	var o order
	var reads, writes *starlark.List
	if err := unpack(args, kwargs, "name", &name, "operations", &operations, "after?", &o.after, "reads?", &reads, "writes?", &writes); err != nil {
		return nil, err
	}
	e, err := o.event()
	if err != nil {
		return nil, err
	}
	e.Kind, e.Name, e.Operations = trace.EventCompute, name, operations
	if err := r.accesses(&e, "reads", reads, false); err != nil {
		return nil, err
	}
	if err := r.accesses(&e, "writes", writes, true); err != nil {
		return nil, err
	}
	return r.record(e)
}

// accesses adds host arrays to a computation: those of a list of buffers, all of each
// or, with (buffer, start, count), elements of it.
func (r *run) accesses(e *trace.HostEvent, key string, list *starlark.List, writes bool) error {
	if list == nil {
		return nil
	}
	for i := range list.Len() {
		b, start, count, err := part(list.Index(i))
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", key, i, err)
		}
		if err := r.placeOnHost(b); err != nil {
			return err
		}
		size := uint64(b.typ.Bytes())
		e.Accesses = append(e.Accesses, trace.HostAccess{HostAddress: b.hostAddress + uint64(start)*size, Bytes: uint64(count) * size, Writes: writes})
	}
	return nil
}

// part is a buffer, or elements of one.
func part(v starlark.Value) (b *buffer, start, count int, err error) {
	switch v := v.(type) {
	case *buffer:
		return v, 0, v.elements(), nil
	case starlark.Tuple:
		if err := starlark.UnpackPositionalArgs("part", v, nil, 3, &b, &start, &count); err != nil {
			return nil, 0, 0, fmt.Errorf("%s: want (buffer, start, count)", bounds.Text(v))
		}
		if n := b.elements(); start < 0 || count < 0 || start > n || count > n-start {
			return nil, 0, 0, fmt.Errorf("%d elements from %d on: buffer %q has %d", count, start, b.name, n)
		}
		return b, start, count, nil
	}
	return nil, 0, 0, fmt.Errorf("is a %s: want a buffer, whose host array is meant, or (buffer, start, count)", v.Type())
}
