package host

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/trace"
)

func (r *run) hostModule() *starlarkstruct.Module {
	return r.members("host", map[string]function{"compute": r.hostCompute})
}

// host.compute(name, operations, after=[], reads=[], writes=[]) records that the
// application computes on the CPU, and goes through the host arrays that belong to
// buffers: those that it reads, then those that it writes. What a program computes
// to make inputs or references is no part of the application, and is not recorded.
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

// accesses adds the host arrays of a list of buffers to a computation.
func (r *run) accesses(e *trace.HostEvent, key string, list *starlark.List, writes bool) error {
	if list == nil {
		return nil
	}
	for i := range list.Len() {
		b, ok := list.Index(i).(*buffer)
		if !ok {
			return fmt.Errorf("%s[%d] is a %s: want buffers, whose host arrays are meant", key, i, list.Index(i).Type())
		}
		if err := r.placeOnHost(b); err != nil {
			return err
		}
		e.Accesses = append(e.Accesses, trace.HostAccess{HostAddress: b.hostAddress, Bytes: b.bytes(), Writes: writes})
	}
	return nil
}
