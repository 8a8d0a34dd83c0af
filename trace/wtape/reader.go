// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/cpuchunks"
	"github.com/warptape/warptape/trace/internal/frames"
)

// Reader reads a trace. Opening reads everything but the chunks. Any number of
// goroutines may use it at once, each with a Chunk of its own.
type Reader struct {
	content content.Content
	closer  io.Closer // nil for NewReader
	checked *digestCheck
	scratch *scratches
}

// Content is what the file holds, for the packages of this folder that copy, check or
// print it in ways of their own.
func (r *Reader) Content() *content.Content { return &r.content }

// Open opens a trace file. Its errors name the file and the place. There is an
// error that is a *CutOffError for a file without its end, others for one that is
// damaged, of a later format version or no trace at all.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file; a trace needs random access", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r, err := newReader(f, info.Size(), path)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.closer = f
	return r, nil
}

// NewReader is Open for size bytes of any source. Its messages call it "trace".
func NewReader(in io.ReaderAt, size int64) (*Reader, error) { return newReader(in, size, "trace") }

func newReader(in io.ReaderAt, size int64, name string) (*Reader, error) {
	r := &Reader{content: content.Content{Name: name, File: container.File{In: in, Size: size}}, checked: new(digestCheck), scratch: new(scratches)}
	if err := r.open(); err != nil {
		var cut *CutOffError
		if errors.As(err, &cut) {
			return nil, cut // names the trace itself
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func (r *Reader) open() error {
	c := &r.content
	if err := c.File.ReadMagic(); err != nil {
		return err
	}
	if err := c.File.ReadFooter(); err != nil {
		if errors.Is(err, frames.ErrNoFooter) {
			return cutOff(c)
		}
		return err
	}
	if err := c.File.ReadIndex(); err != nil {
		return fmt.Errorf("index at offset %d: %w", c.File.Footer.IndexOffset, err)
	}
	var scratch container.Buffer
	for _, o := range c.File.Index.Others {
		if err := c.ReadMetadata(o, &scratch); err != nil {
			return fmt.Errorf("frame at offset %d: %w", o.Offset, err)
		}
	}
	if !c.Summarised {
		return errors.New("the summary is missing: record it again")
	}
	if n := len(c.File.Index.CPU); n > 0 && uint64(c.File.Index.CPU[n-1].Thread) >= c.Totals.CPU.Threads || c.Totals.CPU.Threads > cpuchunks.MaxThreads {
		return fmt.Errorf("the summary counts %d CPU threads", c.Totals.CPU.Threads)
	}
	for i := range c.File.Index.Chunks {
		if chunk := &c.File.Index.Chunks[i]; chunk.Launch >= len(c.Launches) || chunk.LastBlock >= c.Launches[chunk.Launch].Grid.Count() {
			return fmt.Errorf("index: chunk %d is of launch %d up to thread block %d, which does not exist", i, chunk.Launch, chunk.LastBlock)
		}
	}
	return c.CheckSampling()
}

// Name is the path that the trace was opened by.
func (r *Reader) Name() string { return r.content.Name }

// Size is the size of the file in bytes.
func (r *Reader) Size() int64 { return r.content.File.Size }

// Header is the trace's provenance.
func (r *Reader) Header() trace.Header { return r.content.Header.Clone() }

// Kernels are the traced kernels; Launch.Kernel is an index into them. Read-only.
func (r *Reader) Kernels() []trace.Kernel { return r.content.Kernels }

// Launches are the kernel launches in program order. Read-only.
func (r *Reader) Launches() []trace.Launch { return r.content.Launches }

// Timeline is the host's side, launches included. Read-only.
func (r *Reader) Timeline() []trace.HostEvent { return r.content.Timeline }

// Totals are the exact counts of the whole run.
func (r *Reader) Totals() trace.Totals { return r.content.Totals }

// Digest identifies the content, whatever the compression: lower-case hex SHA-256.
// It is as stored; CheckDigest and Verify compute it.
func (r *Reader) Digest() string { return r.content.Digest() }

// Chunks lists the chunks, ascending by launch and thread block. Read-only.
func (r *Reader) Chunks() []ChunkInfo { return r.content.File.Index.Chunks }

// LaunchChunks returns the chunks of a launch: numbers first to end-1.
func (r *Reader) LaunchChunks(launch int) (first, end int) { return r.content.LaunchChunks(launch) }

// FindChunk returns the number of the chunk that holds a thread block. In a sampled
// trace that chunk may turn out to lack the thread block, see Chunk.Blocks.
func (r *Reader) FindChunk(launch int, block uint64) (int, error) {
	x := &r.content.File.Index
	i := x.Find(launch, block)
	if i == len(x.Chunks) || x.Chunks[i].Launch != launch || x.Chunks[i].FirstBlock > block {
		return 0, fmt.Errorf("%s: launch %d, thread block %d is not stored: see the trace's launches and sampling", r.content.Name, launch, block)
	}
	return i, nil
}

// ReadChunk reads and decodes chunk i, replacing what was in the chunk. The error
// names the file and the chunk; the chunk's content is undefined then.
func (r *Reader) ReadChunk(i int, into *Chunk) error {
	c := &r.content
	if i < 0 || i >= len(c.File.Index.Chunks) {
		return fmt.Errorf("%s: chunk %d of %d does not exist", c.Name, i, len(c.File.Index.Chunks))
	}
	s := r.scratch.take()
	into.part.Exchange(s)
	err := c.ReadChunkNumber(i, &into.part)
	into.part.Exchange(s)
	r.scratch.give(s)
	return err
}

// scratches keeps the memory of decoding that is not in use: as many as chunks are read at
// the same time, however many chunks are kept.
type scratches struct {
	mu   sync.Mutex
	free []*content.Scratch
}

func (s *scratches) take() *content.Scratch {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free) - 1
	if n < 0 {
		return new(content.Scratch)
	}
	taken := s.free[n]
	s.free = s.free[:n]
	return taken
}

func (s *scratches) give(one *content.Scratch) {
	if one.Large() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, one)
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// InitialHeader is the header as known when the recording began: what a copy that
// is to have the same digest starts with.
func (r *Reader) InitialHeader() trace.Header { return r.content.Initial.Clone() }

// Sampling describes the sample, nil for a trace that is none. The result is
// shared: read-only.
func (r *Reader) Sampling() *trace.Sampling { return r.content.Sampling }
