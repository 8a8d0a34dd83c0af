// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Costs of the estimate of time, in nanoseconds: those of a launch and of a copy in addition
// to what they move, as programs see them on machines of the PCI Express age.
const (
	launchNanoseconds = 5000
	copyNanoseconds   = 10000
)

// mostLeftOut is how many kernels of launches that are left out a session names.
const mostLeftOut = 16

// launch runs a kernel, and records it unless the options leave it out.
func (s *session) launch(q *wire.Launch) error { return s.launchWith(q, [32]uint32{}) }

// launchWith launches with what the kernel reads in the driver's registers.
func (s *session) launchWith(q *wire.Launch, environment [32]uint32) error {
	if q.Function >= uint64(len(s.kernels)) {
		return refuse(errInvalidFunction, "there is no kernel %d", q.Function)
	}
	k := s.kernels[q.Function]
	if k.loaded == nil {
		return k.module.err
	}
	t, err := s.stream(q.Stream)
	if err != nil {
		return err
	}
	request := emulator.LaunchRequest{
		Kernel: k.loaded, Grid: q.Grid, Block: q.Block, Cluster: q.Cluster, DynamicShared: q.Shared, Arguments: q.Arguments, Context: s.ctx, Cooperative: q.Cooperative, Environment: environment,
	}
	if n := q.Grid.Count(); n > 1 && n <= s.options.Together && k.loaded.ClusterBlocks(q.Cluster) <= 1 {
		request.Cooperative = true
	}
	if s.options.Progress != nil {
		request.Progress = func(uint64) { s.options.Progress(k.name, s.launches, s.result.WarpInstructions) }
	}
	number := s.launches
	s.launches++
	if s.options.Choose != nil && !s.options.Choose(k.name, number) {
		s.result.LaunchesLeftOut++
		if len(s.result.LeftOut) < mostLeftOut && !slices.Contains(s.result.LeftOut, k.name) {
			s.result.LeftOut = append(s.result.LeftOut, k.name)
		}
		return s.run(t, nil, k, &request)
	}
	after, err := s.begin(t, k, q)
	if err != nil {
		return err
	}
	request.Recorder = s.sink.Sink // for what it can do beyond its interface
	if err := s.run(t, after, k, &request); err != nil {
		return err
	}
	s.result.Launches++
	return s.sink.EndLaunch()
}

// begin adds the launch to the trace, and tells what it waits for.
func (s *session) begin(t *stream, k *kernel, q *wire.Launch) ([]int, error) {
	if k.index < 0 {
		index, err := s.sink.AddKernel(k.loaded.Static())
		if err != nil {
			return nil, err
		}
		k.index = index
		for _, reason := range k.loaded.Static().TimingDependent {
			s.say("kernel %s depends on timing: %s", k.name, reason)
		}
	}
	after := s.waits(t)
	l := trace.Launch{Kernel: k.index, Grid: q.Grid, Block: q.Block, DynamicSharedBytes: q.Shared, Stream: t.id, Arguments: s.recordable(q.Arguments), Cluster: k.loaded.Clusters(q.Cluster)}
	launch, err := s.sink.BeginLaunch(l, after...)
	if err != nil {
		return nil, err
	}
	s.traced = launch
	t.last = s.sink.events - 1
	return after, nil
}

// run executes a launch. What faults ends the program's use of the device, and the trace.
func (s *session) run(t *stream, after []int, k *kernel, request *emulator.LaunchRequest) error {
	did, err := s.device.Launch(*request)
	s.result.ThreadBlocks += did.ThreadBlocks
	s.result.WarpInstructions += did.WarpInstructions
	perSecond := float64(s.options.Device.Multiprocessors*s.options.Device.Schedulers) * float64(s.options.Device.ClockKHz) * 1e3
	nanoseconds := float64(did.WarpInstructions) * 1e9 / perSecond
	if err == nil && request.Recorder != nil && s.options.LaunchTime != nil {
		var failed error
		if nanoseconds, failed = s.options.LaunchTime(); failed != nil {
			return failed
		}
	}
	s.took(t, after, launchNanoseconds+nanoseconds)
	if request.Recorder != nil {
		s.noteEnd(t.last, t.end)
	}
	if err == nil {
		return nil
	}
	if s.ctx.Err() != nil {
		err = context.Cause(s.ctx) // why the launch was cancelled
	}
	if request.Recorder != nil {
		if cut := s.cutLaunch(k, did.ThreadBlocks, request.Grid.Count(), err); cut != nil {
			return cut
		}
	}
	s.lost = &cudaError{status: faultStatus(err), sticky: true, err: err}
	var f *coexecution.Fault
	if errors.As(err, &f) && f.Kind == coexecution.FaultOutOfBounds && f.Space == ptx.SpaceGlobal && s.options.Slack == 0 && !s.options.CheckBounds {
		s.say("a GPU may let this access pass, because its pages are larger than buffers; --slack 64KiB lets such accesses pass here")
	}
	if f != nil && f.Kind == coexecution.FaultEndless && !request.Cooperative && request.Grid.Count() > 1 {
		s.say("a GPU runs the thread blocks of a small grid at the same time; --together %d does so here", request.Grid.Count())
	}
	return s.lost
}

// cutLaunch ends a launch that did not: its whole thread blocks stay, and the header says
// that the others lack.
func (s *session) cutLaunch(k *kernel, blocks, all uint64, why error) error {
	s.sink.DropBlock()
	if err := s.sink.EndLaunch(); err != nil {
		return err
	}
	reason := fmt.Sprintf("ended in launch %d of kernel %s after %d of %d thread blocks: %s", s.traced, k.name, blocks, all, cause(why))
	s.sink.UpdateHeader(func(h *trace.Header) { h.Sampling = reason })
	s.result.CutOff = reason
	return nil
}

// cause names a fault without the address that it was at, which may be the program's own.
func cause(err error) string {
	var f *coexecution.Fault
	if !errors.As(err, &f) {
		return err.Error()
	}
	return fmt.Sprintf("%s at %s:%d", f.Kind, f.File, f.Line)
}

// Linux puts programs, their heaps, libraries and stacks there.
const (
	firstProgramAddress = 0x5500_0000_0000
	endProgramAddress   = 0x8000_0000_0000
)

// recordable gives a launch's arguments without the addresses of the program's own
// memory, which differ from run to run. Those that copies have named become what the
// trace calls them; others keep only what stackAlign leaves of them.
func (s *session) recordable(arguments []byte) []byte {
	out := append([]byte(nil), arguments...)
	for i := 0; i+8 <= len(out); i += 8 {
		v := binary.LittleEndian.Uint64(out[i:])
		if v < firstProgramAddress || v >= endProgramAddress {
			continue
		}
		recorded, known := s.host.find(v, 0)
		if !known {
			recorded = host.HostBase - host.PageBytes + v%stackAlign
		}
		binary.LittleEndian.PutUint64(out[i:], recorded)
	}
	return out
}
