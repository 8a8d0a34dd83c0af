// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// measure runs a size and gives what it did. The trace is written to nowhere:
// what counts are its totals.
func measure(ctx context.Context, p *host.Program, size string) (*traces.Figures, error) {
	w, err := wtape.NewWriter(io.Discard, p.Name(), trace.Header{}, wtape.Options{Level: wtape.LevelFast, Workers: 1})
	if err != nil {
		return nil, err
	}
	defer w.Abort() // without effect after Finish
	if _, err := p.Run(ctx, host.Options{Size: size, Seed: traces.CatalogueSeed, Sink: w}); err != nil {
		return nil, err
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	return figures(w.Totals()), nil
}

func figures(t trace.Totals) *traces.Figures {
	return &traces.Figures{
		Launches: t.Launches, ThreadBlocks: t.ThreadBlocks, Threads: t.Threads,
		WarpInstructions: t.WarpInstructions, ThreadInstructions: t.ThreadInstructions, MemoryInstructions: t.MemoryInstructions,
		BytesToDevice: t.BytesToDevice, BytesToHost: t.BytesToHost,
	}
}

var errLimit = errors.New("the time limit is over")

// measureWithin gives up after the limit, which the result then says.
func measureWithin(ctx context.Context, p *host.Program, size string, limit time.Duration) (traces.Size, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	start := time.Now()
	f, err := measure(ctx, p, size)
	if errors.Is(err, errLimit) {
		fmt.Fprintf(os.Stderr, "%-24s %-6s not measured: longer than %v\n", p.Name(), size, limit)
		return traces.Size{Name: size, Unmeasured: fmt.Sprintf("a run takes longer than %v", limit)}, nil
	}
	if err != nil {
		return traces.Size{}, err
	}
	fmt.Fprintf(os.Stderr, "%-24s %-6s %7.2f s %12d warp instructions\n", p.Name(), size, time.Since(start).Seconds(), f.WarpInstructions)
	return traces.Size{Name: size, Figures: f}, nil
}
