// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/frontend/native/recorder"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// replayedTimes is a sink that keeps a trace of the present launch alone, in addition to the
// one that it passes on. It replays its own when the recorder asks how long the launch takes.
type replayedTimes struct {
	recorder.Sink
	ctx     context.Context
	machine *arch.Machine
	folder  string
	kernels []*trace.Kernel
	one     *wtape.Writer
}

func newReplayedTimes(ctx context.Context, sink recorder.Sink, m *arch.Machine) (*replayedTimes, error) {
	folder, err := os.MkdirTemp("", "warptape-run-")
	return &replayedTimes{Sink: sink, ctx: ctx, machine: m, folder: folder}, err
}

func (t *replayedTimes) close() {
	if t.one != nil {
		t.one.Abort()
	}
	os.RemoveAll(t.folder)
}

func (t *replayedTimes) path() string { return filepath.Join(t.folder, "launch.wtape") }

func (t *replayedTimes) AddKernel(k *trace.Kernel) (int, error) {
	n, err := t.Sink.AddKernel(k)
	if err == nil {
		for len(t.kernels) <= n {
			t.kernels = append(t.kernels, nil)
		}
		t.kernels[n] = k
	}
	return n, err
}

func (t *replayedTimes) BeginLaunch(l trace.Launch, after ...int) (int, error) {
	n, err := t.Sink.BeginLaunch(l, after...)
	if err != nil {
		return n, err
	}
	if t.one, err = wtape.Create(t.path(), trace.Header{Tool: "warptape " + release.Version()}, wtape.Options{Workers: 1}); err != nil {
		return n, err
	}
	if _, err = t.one.AddKernel(t.kernels[l.Kernel]); err != nil {
		return n, err
	}
	l.Kernel, l.Stream = 0, 0
	_, err = t.one.BeginLaunch(l)
	return n, err
}

func (t *replayedTimes) BeginBlock(block uint64) {
	t.Sink.BeginBlock(block)
	t.one.BeginBlock(block)
}

func (t *replayedTimes) Visit(warp int, basicBlock, mask uint32) {
	t.Sink.Visit(warp, basicBlock, mask)
	t.one.Visit(warp, basicBlock, mask)
}

func (t *replayedTimes) Guard(warp int, mask uint32) {
	t.Sink.Guard(warp, mask)
	t.one.Guard(warp, mask)
}

func (t *replayedTimes) Access(warp int, mask uint32, addresses *[32]uint64) {
	t.Sink.Access(warp, mask, addresses)
	t.one.Access(warp, mask, addresses)
}

func (t *replayedTimes) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	t.Sink.AccessStrided(warp, mask, base, stride)
	t.one.AccessStrided(warp, mask, base, stride)
}

func (t *replayedTimes) EndBlock() error { return errors.Join(t.Sink.EndBlock(), t.one.EndBlock()) }

func (t *replayedTimes) DropBlock() {
	t.Sink.DropBlock()
	t.one.DropBlock()
}

// EndLaunch leaves a launch whose time is not asked for.
func (t *replayedTimes) EndLaunch() error {
	if t.one != nil {
		t.one.Abort()
		t.one = nil
	}
	return t.Sink.EndLaunch()
}

// launchTime gives the nanoseconds of the launch whose thread blocks have ended.
func (t *replayedTimes) launchTime() (float64, error) {
	w := t.one
	t.one = nil
	if err := w.EndLaunch(); err != nil {
		return 0, err
	}
	if err := w.Finish(); err != nil {
		return 0, err
	}
	r, err := wtape.Open(t.path())
	if err != nil {
		return 0, err
	}
	defer os.Remove(t.path())
	defer r.Close()
	results, err := replay.Run(t.ctx, r, []*arch.Machine{t.machine}, replay.Options{Workers: 1, Cores: 1, Version: release.Version(), WatchdogCycles: gpu.DefaultWatchdogCycles})
	if err != nil {
		return 0, fmt.Errorf("the replay of a launch, for its time: %w", err)
	}
	return results[0].Launches[0].Nanoseconds, nil
}
