// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Source is where a replay takes a trace from.
type Source interface {
	Kernels() []trace.Kernel
	Launches() []trace.Launch
	Chunks() []wtape.ChunkInfo
	// Timeline gives what the host did, in program order.
	Timeline() []trace.HostEvent
	// LaunchChunks gives the chunks of a launch: first to end-1.
	LaunchChunks(launch int) (first, end int)
	// Acquire gives a decoded chunk that stays as it is until Release. A replay
	// asks for the chunks in ascending order, each once.
	Acquire(ctx context.Context, chunk int) (*wtape.Chunk, error)
	Release(chunk int)
}
