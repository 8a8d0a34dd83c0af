package gputest

import (
	"context"

	"github.com/warptape/warptape/trace"
)

// Source decodes each chunk once and keeps it; it implements gpu.Source.
type Source struct {
	*trace.Reader
	chunks []*trace.Chunk
	held   int
}

// NewSource makes a source of r.
func NewSource(r *trace.Reader) *Source {
	return &Source{Reader: r, chunks: make([]*trace.Chunk, len(r.Chunks()))}
}

// Acquire implements gpu.Source.
func (s *Source) Acquire(_ context.Context, i int) (*trace.Chunk, error) {
	s.held++
	if s.chunks[i] != nil {
		return s.chunks[i], nil
	}
	s.chunks[i] = trace.NewChunk()
	return s.chunks[i], s.ReadChunk(i, s.chunks[i])
}

// Release implements gpu.Source.
func (s *Source) Release(int) { s.held-- }

// Held is the number of chunks that have not been released.
func (s *Source) Held() int { return s.held }
