// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/trace"
)

func (r *run) gpuModule() *starlarkstruct.Module {
	return r.members("gpu", map[string]function{
		"module":      r.gpuLoadModule,
		"buffer":      r.gpuBuffer,
		"alloc":       r.gpuAlloc,
		"symbol":      r.gpuSymbol,
		"write":       r.gpuWrite,
		"read":        r.gpuRead,
		"fill":        r.gpuFill,
		"free":        r.gpuFree,
		"texture":     r.gpuTexture,
		"bind":        r.gpuBind,
		"tensor_map":  r.gpuTensorMap,
		"launch":      r.gpuLaunch,
		"blocks":      r.gpuBlocks,
		"synchronize": r.gpuSynchronize,
	})
}

// gpu.blocks(n, per_block) is how many thread blocks cover n threads.
func (r *run) gpuBlocks(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var n, perBlock int
	if err := unpack(args, kwargs, "n", &n, "per_block", &perBlock); err != nil {
		return nil, err
	}
	if n < 0 || perBlock < 1 {
		return nil, errors.New("n must not be negative, per_block must be positive")
	}
	return starlark.MakeInt((n + perBlock - 1) / perBlock), nil
}

// gpu.synchronize(stream=None) is the host waiting for one stream or for all.
func (r *run) gpuSynchronize(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var stream starlark.Value = starlark.None
	if err := unpack(args, kwargs, "stream?", &stream); err != nil {
		return nil, err
	}
	e := trace.HostEvent{Kind: trace.EventSynchronize, AllStreams: stream == starlark.None}
	if !e.AllStreams {
		if err := starlark.AsInt(stream, &e.Stream); err != nil {
			return nil, fmt.Errorf("stream: %w", err)
		}
	}
	return r.record(e)
}
