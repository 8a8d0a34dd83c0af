// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"context"

	"github.com/warptape/warptape/trace/wtape"
)

// Source decodes each chunk once and keeps it; it implements gpu.Source.
type Source struct {
	*wtape.Reader
	chunks []*wtape.Chunk
	held   int
}

// NewSource makes a source of r.
func NewSource(r *wtape.Reader) *Source {
	return &Source{Reader: r, chunks: make([]*wtape.Chunk, len(r.Chunks()))}
}

// Acquire implements gpu.Source.
func (s *Source) Acquire(_ context.Context, i int) (*wtape.Chunk, error) {
	s.held++
	if s.chunks[i] != nil {
		return s.chunks[i], nil
	}
	s.chunks[i] = wtape.NewChunk()
	return s.chunks[i], s.ReadChunk(i, s.chunks[i])
}

// Release implements gpu.Source.
func (s *Source) Release(int) { s.held-- }

// Held is the number of chunks that have not been released.
func (s *Source) Held() int { return s.held }
