// SPDX-License-Identifier: Apache-2.0

// Package microbenchmarks replays the workload of that name on the cards and says what it
// measures of each, beside what was published.
package microbenchmarks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

const (
	workload = "microbenchmarks"
	size     = "small"
)

// Recording is the workload, recorded in memory.
type Recording struct {
	trace      *wtape.Reader
	parameters map[string]float64
}

// Record records the workload.
func Record(ctx context.Context) (*Recording, error) {
	found, err := traces.Find(workload)
	if err != nil {
		return nil, err
	}
	program, err := host.Load(found.Files, found.Program)
	if err != nil {
		return nil, err
	}
	r := &Recording{parameters: map[string]float64{}}
	for _, s := range program.Sizes() {
		if s.Name == size {
			for _, p := range s.Parameters {
				if r.parameters[p.Name], err = strconv.ParseFloat(p.Value(), 64); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", workload, p.Name, err)
				}
			}
		}
	}
	var recorded bytes.Buffer
	w, err := wtape.NewWriter(&recorded, workload, trace.Header{Tool: "warptape " + release.Version()}, wtape.Options{Level: wtape.LevelFast})
	if err != nil {
		return nil, err
	}
	if _, err := program.Run(ctx, host.Options{Size: size, Seed: 1, Sink: w, Out: io.Discard}); err != nil {
		return nil, err
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	r.trace, err = wtape.NewReader(bytes.NewReader(recorded.Bytes()), int64(recorded.Len()))
	return r, err
}

// Measure replays the recording on a machine. The values are by the names that benchmarks have in
// package published.
func (r *Recording) Measure(ctx context.Context, m *arch.Machine) (map[string]float64, error) {
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
