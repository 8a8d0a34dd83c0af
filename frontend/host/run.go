// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"

	starlarkmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/host/addresses"
	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/frontend/host/bounds"
	"github.com/warptape/warptape/trace"
)

// run is one execution of a host program.
type run struct {
	ctx     context.Context
	program *Program
	options Options
	thread  *starlark.Thread
	space   *array.Space
	device  *emulator.Device
	sink    Sink
	// recorder is the sink as the emulator sees it, nil without recording.
	recorder emulator.Recorder
	host     addressSpace
	// kernels has the sink's index of each kernel that was launched.
	kernels map[*emulator.LoadedKernel]int
	modules map[string]*module
	data    map[string]string // the digests of data files by name
	random  randomStreams
	// events counts the timeline, launches included.
	events int
	result Result
	// partly is the first kernel with thread blocks that did not run; nil: none.
	partly *kernel
	// running is set while main runs: the device is out of bounds before.
	running bool
	budget  *bounds.Budget
	gate    gate
}

// warnOfStores keeps a warning of a check for races.
func (r *run) warnOfStores(w error) { r.result.RaceWarnings = append(r.result.RaceWarnings, w) }

func newRun(ctx context.Context, p *Program, o Options) *run {
	if o.MaxSteps == 0 {
		o.MaxSteps = DefaultMaxSteps
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	r := &run{ctx: ctx, program: p, options: o, sink: o.Sink, recorder: o.Sink,
		host: addressSpace{next: HostBase}, kernels: map[*emulator.LoadedKernel]int{}, modules: map[string]*module{}, data: map[string]string{}}
	if o.Sink == nil {
		r.sink, r.recorder = silent{}, nil
	}
	r.random.seed = o.Seed
	r.device = emulator.NewDevice(emulator.Options{Coexecutor: o.Coexecutor, MaxInstructions: o.MaxInstructions, CheckShared: o.CheckShared, CheckRaces: o.CheckRaces, Watch: o.Watch, CheckGlobalRaces: o.CheckGlobalRaces, CheckBounds: o.CheckBounds, Warn: r.warnOfStores, Workers: o.Workers, MinTogether: o.MinTogether, Output: o.Out})
	r.thread = &starlark.Thread{Name: p.path, Print: r.print, Load: refuseLoad}
	r.thread.SetMaxExecutionSteps(o.MaxSteps)
	r.thread.OnMaxSteps = func(t *starlark.Thread) {
		t.Cancel(fmt.Sprintf("the program exceeds %d steps: it may loop for ever", o.MaxSteps))
	}
	addresses, limited := addresses.Left()
	if !limited {
		addresses = math.MaxInt64
	}
	r.budget = bounds.New(r.thread, o.MaxSteps, r.memory(), addresses)
	r.space = array.NewSpace(o.MaxBytes)
	r.space.Attach(r.thread)
	array.AttachContext(ctx, r.thread)
	return r
}

// Run executes the program's main with the parameters of a size. It stops when
// ctx ends. Errors are of type *Error; nothing else is left behind by a failed
// run than what Sink has got.
func (p *Program) Run(ctx context.Context, o Options) (Result, error) {
	size, err := p.chosen(&o)
	if err != nil {
		return Result{}, &Error{File: p.path, Err: err}
	}
	r := newRun(ctx, p, o)
	r.sink.UpdateHeader(func(h *trace.Header) {
		h.Program, h.ProgramDigest, h.Seed, h.Arguments = p.Name(), p.digest, o.Seed, size.arguments()
	})
	if err := r.supervise(func() error { return r.main(&size) }); err != nil {
		if r.gate.isClosed() {
			return Result{}, err // the program may still count
		}
		return r.result, err
	}
	return r.result, nil
}

func (r *run) main(size *Size) error {
	globals, err := r.initialise()
	if err != nil {
		return err
	}
	r.running = true
	main := globals["main"].(*starlark.Function)
	r.budget.Begin(main.Position())
	_, err = starlark.Call(r.thread, main, starlark.Tuple{size.starlark()}, nil)
	return r.explain(err)
}

// initialise runs the program's top level.
func (r *run) initialise() (starlark.StringDict, error) {
	globals, err := r.program.compiled.Init(r.thread, r.globals())
	if err == nil {
		err = r.budget.Freezable(globals)
	}
	if err != nil {
		return nil, r.explain(err)
	}
	globals.Freeze()
	return globals, nil
}

// explain gives an error its place, and a cancelled run its reason.
func (r *run) explain(err error) error {
	if err == nil {
		return nil
	}
	located := locate(r.program.path, err)
	var e *Error
	if r.ctx.Err() != nil && errors.As(located, &e) {
		e.Err = context.Cause(r.ctx)
	}
	return located
}

// globals are the names that host programs find defined.
func (r *run) globals() starlark.StringDict {
	all := array.Globals()
	maps.Copy(all, bounds.Universe())
	all["gpu"] = r.gpuModule()
	all["host"] = r.hostModule()
	all["random"] = r.randomModule()
	all["check"] = r.checkModule()
	all["math"] = starlarkmath.Module
	all["struct"] = starlark.NewBuiltin("struct", starlarkstruct.Make)
	return all
}

func (r *run) print(_ *starlark.Thread, message string) {
	if r.options.Out != nil && !r.gate.isClosed() {
		fmt.Fprintln(r.options.Out, message)
	}
}

func refuseLoad(_ *starlark.Thread, name string) (starlark.StringDict, error) {
	return nil, fmt.Errorf("load(%q): a host program is a single file; copy the functions that it needs", name)
}

// besideProgram is the place of a file named relative to the program.
func (r *run) besideProgram(name string) string {
	return path.Join(path.Dir(r.program.path), name)
}
