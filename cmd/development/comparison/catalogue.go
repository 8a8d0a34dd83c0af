// SPDX-License-Identifier: Apache-2.0

package comparison

import (
	"context"
	"fmt"
	"io"

	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/validation"
	"github.com/warptape/warptape/trace/wtape"
)

// compareCatalogue replays the launches of the catalogue's programs that ran on a machine's
// configuration in the reference.
func compareCatalogue(ctx context.Context, machine string) ([]validation.Pair, error) {
	launches, err := validation.Catalogue(machine)
	if err != nil {
		return nil, err
	}
	return compareLaunches(ctx, machine, launches)
}

// compareLaunches replays each run of launches once.
func compareLaunches(ctx context.Context, machine string, launches []validation.Launch) ([]validation.Pair, error) {
	m, err := arch.Load(machine)
	if err != nil {
		return nil, err
	}
	type run struct{ workload, parameters string }
	replayed := map[run]*program{}
	var pairs []validation.Pair
	for i := range launches {
		l := &launches[i]
		key := run{l.Workload, l.Parameters}
		if replayed[key] == nil {
			if replayed[key], err = replayRun(ctx, m, l); err != nil {
				return nil, fmt.Errorf("%s %s: %w", l.Workload, l.Parameters, err)
			}
		}
		if registers, ok := replayed[key].registers[l.Index]; ok && registers != l.Registers {
			return nil, fmt.Errorf("%s %s: launch %d is of a kernel with %d registers, and the reference was told %d", l.Workload, l.Parameters, l.Index, registers, l.Registers)
		}
		pair, err := validation.NewPair(l, replayed[key].result)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

// program is a replayed run, with the registers of each launch's kernel.
type program struct {
	result    *replay.Result
	registers map[int]int
}

// replayRun records a launch's program in memory and replays all of it.
func replayRun(ctx context.Context, m *arch.Machine, l *validation.Launch) (*program, error) {
	source, _, err := programs.Load(l.Workload)
	if err != nil {
		return nil, err
	}
	r, err := programs.Record(l.Workload, 0, func(w *wtape.Writer) error {
		_, err := source.Run(ctx, host.Options{Size: l.Size, Set: l.Settings, Seed: 1, Sink: w, Out: io.Discard})
		return err
	})
	if err != nil {
		return nil, err
	}
	results, err := replay.Run(ctx, r, []*arch.Machine{m}, replay.Options{Version: release.Version(), Workers: 1})
	if err != nil {
		return nil, err
	}
	p := &program{&results[0], map[int]int{}}
	for n, launch := range r.Launches() {
		p.registers[n] = int(r.Kernels()[launch.Kernel].RegistersPerThread)
	}
	return p, nil
}
