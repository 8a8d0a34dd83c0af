package host

import (
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/trace"
)

func (r *run) hostModule() *starlarkstruct.Module {
	return r.members("host", map[string]function{"compute": r.hostCompute})
}

// host.compute(name, operations, after=[]) records that the application
// computes on the CPU. What a program computes to make inputs or references is
// no part of the application, and is not recorded.
func (r *run) hostCompute(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var operations uint64
	var o order
	if err := unpack(args, kwargs, "name", &name, "operations", &operations, "after?", &o.after); err != nil {
		return nil, err
	}
	e, err := o.event()
	if err != nil {
		return nil, err
	}
	e.Kind, e.Name, e.Operations = trace.EventCompute, name, operations
	return r.record(e)
}
