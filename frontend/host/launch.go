// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/trace"
)

// gpu.launch(kernel, grid, block, args=[], shared=0, stream=0, after=[],
// cluster=None, independent=False) runs a kernel. Grid, block and cluster are a number
// or a tuple of up to three. The size of the dynamic shared memory is shared, in bytes;
// that of clusters is cluster, in thread blocks. Independent says that no thread block
// needs what others do, and that the program looks at no result: see partial.go.
func (r *run) gpuLaunch(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var k *kernel
	var grid, block, clusterSize starlark.Value
	var shared uint32
	var o order
	var independent bool
	arguments := starlark.NewList(nil)
	if err := unpack(args, kwargs, "kernel", &k, "grid", &grid, "block", &block,
		"args?", &arguments, "shared?", &shared, "stream?", &o.stream, "after?", &o.after, "cluster?", &clusterSize, "independent?", &independent); err != nil {
		return nil, err
	}
	l := trace.Launch{DynamicSharedBytes: shared, Stream: o.stream}
	var err error
	if l.Grid, err = dim3(grid); err != nil {
		return nil, fmt.Errorf("grid: %w", err)
	}
	if l.Block, err = dim3(block); err != nil {
		return nil, fmt.Errorf("block: %w", err)
	}
	if l.Arguments, err = packArguments(r.device, k, arguments); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.name, err)
	}
	if err := r.wholeInputs(independent); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.name, err)
	}
	var cluster trace.Dim3
	if clusterSize != nil && clusterSize != starlark.None {
		if cluster, err = dim3(clusterSize); err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
	}
	e, err := o.event()
	if err != nil {
		return nil, err
	}
	return r.launch(k, l, cluster, independent, e.After)
}

func (r *run) launch(k *kernel, l trace.Launch, cluster trace.Dim3, independent bool, after []int) (starlark.Value, error) {
	var err error
	l.Cluster = k.loaded.Clusters(cluster)
	if l.Kernel, err = r.kernelIndex(k); err != nil {
		return nil, err
	}
	if _, err = r.sink.BeginLaunch(l, after...); err != nil {
		return nil, err
	}
	r.events++
	err = r.execute(k, emulator.LaunchRequest{
		Kernel: k.loaded, Grid: l.Grid, Block: l.Block, Cluster: cluster, DynamicShared: l.DynamicSharedBytes, Arguments: l.Arguments,
		Recorder: r.recorder, Context: r.ctx, Progress: r.progress(k, l.Grid.Count()), Only: r.chosen(k, cluster, independent),
	})
	if err != nil {
		return nil, err
	}
	return event(r.events - 1), r.sink.EndLaunch()
}

func (r *run) execute(k *kernel, request emulator.LaunchRequest) error {
	launch := func() error {
		did, err := r.device.Launch(request)
		r.count(did)
		return err
	}
	if r.options.Observe == nil {
		return launch()
	}
	return r.options.Observe(&LaunchView{Device: r.device, Module: k.source, Kernel: k.name, Request: request}, launch)
}

func (r *run) count(did emulator.LaunchResult) {
	r.result.Launches++
	r.result.ThreadBlocks += did.ThreadBlocks
	r.result.Warps += did.Warps
	r.result.Visits += did.Visits
	r.result.WarpInstructions += did.WarpInstructions
}

// kernelIndex is the sink's number for a kernel, which its first launch makes.
func (r *run) kernelIndex(k *kernel) (int, error) {
	if i, ok := r.kernels[k.loaded]; ok {
		return i, nil
	}
	static := k.loaded.Static()
	i, err := r.sink.AddKernel(static)
	if err != nil {
		return 0, err
	}
	r.kernels[k.loaded] = i
	for _, reason := range static.TimingDependent {
		r.result.Warnings = append(r.result.Warnings, fmt.Sprintf("kernel %s depends on timing: %s", k.name, reason))
	}
	return i, nil
}

// progress makes the function that the emulator tells of finished blocks.
func (r *run) progress(k *kernel, total uint64) func(blocks uint64) {
	if r.options.Progress == nil {
		return nil
	}
	p := Progress{Kernel: k.name, Launch: r.result.Launches + 1, TotalBlocks: total, WarpInstructions: r.result.WarpInstructions}
	return func(blocks uint64) {
		p.Blocks = blocks
		r.options.Progress(p)
	}
}

// dim3 reads a CUDA dimension: n, (x,), (x, y) or (x, y, z).
func dim3(v starlark.Value) (trace.Dim3, error) {
	tuple, ok := v.(starlark.Tuple)
	if !ok {
		tuple = starlark.Tuple{v}
	}
	if len(tuple) < 1 || len(tuple) > 3 {
		return trace.Dim3{}, errors.New("want one to three numbers")
	}
	d := [3]uint32{1, 1, 1}
	for i, n := range tuple {
		if err := starlark.AsInt(n, &d[i]); err != nil {
			return trace.Dim3{}, err
		}
	}
	return trace.Dim3{X: d[0], Y: d[1], Z: d[2]}, nil
}
