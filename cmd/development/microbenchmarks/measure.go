// SPDX-License-Identifier: Apache-2.0

// Package microbenchmarks replays the workload of that name on the cards and compares what
// it measures on each with published figures.
package microbenchmarks

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

const (
	workload = "microbenchmarks"
	size     = "small"
)

// recording is the workload, recorded in memory for the number of SMs of a machine.
type recording struct {
	trace      *wtape.Reader
	parameters map[string]float64
}

// record records the workload.
func record(ctx context.Context, sms int) (*recording, error) {
	program, _, err := programs.Load(workload)
	if err != nil {
		return nil, err
	}
	r := &recording{parameters: map[string]float64{}}
	for _, s := range program.Sizes() {
		if s.Name == size {
			for _, p := range s.Parameters {
				if r.parameters[p.Name], err = strconv.ParseFloat(p.Value(), 64); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", workload, p.Name, err)
				}
			}
		}
	}
	// The kernels that see rates have as many thread blocks on one SM as on another.
	blocks := (int(r.parameters["blocks"]) + sms - 1) / sms * sms
	r.parameters["blocks"] = float64(blocks)
	set := map[string]string{"blocks": strconv.Itoa(blocks)}
	r.trace, err = programs.Record(workload, 0, func(w *wtape.Writer) error {
		_, err := program.Run(ctx, host.Options{Size: size, Set: set, Seed: 1, Sink: w, Out: io.Discard})
		return err
	})
	return r, err
}

// Measure replays the workload on a machine. The values are by the names that benchmarks have in
// package published.
func Measure(ctx context.Context, m *arch.Machine) (map[string]float64, error) {
	r, err := record(ctx, m.GPU.SMs)
	if err != nil {
		return nil, err
	}
	results, err := replay.Run(ctx, r.trace, []*arch.Machine{m}, replay.Options{Version: release.Version(), Workers: 1})
	if err != nil {
		return nil, err
	}
	c := &cursor{launches: results[0].Launches}
	values := c.values(r.parameters, m)
	if c.err == nil && c.skip() < len(c.launches) {
		c.err = fmt.Errorf("%s: launches after the last that is known", workload)
	}
	return values, c.err
}
