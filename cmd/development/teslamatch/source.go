// SPDX-License-Identifier: Apache-2.0

package teslamatch

import (
	"context"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace/wtape"
)

func newGPU(m *arch.Machine, l *listener) (*gpu.GPU, error) {
	return gpu.New(m, gpu.Options{Watcher: l})
}

// source keeps every chunk that it has decoded; it implements gpu.Source.
type source struct{ *wtape.Reader }

func newSource(r *wtape.Reader) source { return source{r} }

// Acquire implements gpu.Source.
func (s source) Acquire(_ context.Context, i int) (*wtape.Chunk, error) {
	c := wtape.NewChunk()
	return c, s.ReadChunk(i, c)
}

// Release implements gpu.Source.
func (s source) Release(int) {}
