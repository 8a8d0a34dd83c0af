// SPDX-License-Identifier: Apache-2.0

package references

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/resemblance"
)

// maxRaw bounds payload and dictionary together, so that a match reaches all of
// the dictionary within the compressor's window.
const maxRaw = 8 << 20

// memory is the payload of a frame that later ones may refer to. It is filled by
// the worker that encodes the frame; done is closed then.
type memory struct {
	done   chan struct{}
	root   *memory // the frame that this one refers to, itself for none
	raw    []byte  // of a root, nil if it is too large
	offset int64   // in the file, of the writing goroutine

	stringsOnce sync.Once
	strings     resemblance.Set // of raw, for those that may refer to it
}

func newMemory() *memory { return &memory{done: make(chan struct{})} }

// Encoder compresses frames with references, of one worker.
type Encoder struct {
	level       zstd.EncoderLevel
	compressors []compressor // that was used last first
	changes     int          // of dictionaries
	frame       []byte
	strings     resemblance.Sample // of the payload at hand
}

// NewEncoder returns an encoder that compresses as hard as told.
func NewEncoder(level zstd.EncoderLevel) Encoder { return Encoder{level: level} }

// compressor is a compressor with the payload of a root as its dictionary. To take
// another dictionary costs more than to compress most frames: it indexes all of it, and
// clears and copies tables of a megabyte.
type compressor struct {
	root   *memory
	z      *zstd.Encoder
	window int
}

// The launches of a program refer to few roots in turn, so a worker has several
// compressors once it has changed dictionaries so often that another one pays.
const (
	maxRootCompressors   = len(candidates{})
	changesPerCompressor = 8
)

// Encode compresses a frame's payload with each frame that it may refer to, and keeps
// the smallest that is worth it, for Place to complete. It has been compressed
// without.
func (r *Encoder) Encode(f *Frame) error {
	if f.memory == nil {
		return nil
	}
	defer close(f.memory.done)
	f.memory.root = f.memory
	var tried [len(f.candidates)]*memory
	missing := 1.0 // part of the payload's strings that f.Bytes has nothing to refer to for
	for i, reference := range f.candidates {
		root := reference.root(f.memory)
		if root == nil || slices.Contains(tried[:i], root) || len(root.raw)+len(f.Raw) > maxRaw {
			continue
		}
		if tried == [len(f.candidates)]*memory{} {
			r.strings.Take(f.Raw)
		}
		tried[i] = root
		lacks := r.strings.Missing(root.sampled())
		if !reference.promising(lacks, missing) {
			continue
		}
		if err := r.compress(f, root); err != nil {
			return err
		}
		if 16*len(r.frame) < reference.sixteenths*len(f.Bytes) {
			f.memory.root, missing = root, lacks
			f.Bytes = append(f.Bytes[:0], r.frame...)
		}
	}
	if f.memory.root == f.memory && len(f.Raw) <= maxRaw/2 {
		f.memory.raw = append([]byte(nil), f.Raw...)
	}
	return nil
}

// promising reports whether a root that lacks so much of the payload's strings may shrink
// the frame enough, if what it is compressed with so far lacks so much. What the root
// lacks must be stored.
func (r reference) promising(lacks, missing float64) bool {
	return 16*lacks < float64(r.sixteenths)*missing
}

// sampled is the strings of a root.
func (m *memory) sampled() *resemblance.Set {
	m.stringsOnce.Do(func() {
		var s resemblance.Sample
		s.Take(m.raw)
		m.strings = s.Set
	})
	return &m.strings
}

// root is the frame to refer to, nil for none. The frame that it waits for was
// submitted before this one, so that some worker has it already.
func (r reference) root(own *memory) *memory {
	if r.earlier == nil || r.earlier == own {
		return nil
	}
	<-r.earlier.done
	if r.earlier.root.raw == nil {
		return nil
	}
	return r.earlier.root
}

func (r *Encoder) compress(f *Frame, root *memory) error {
	z, err := r.compressorOf(root, referenceWindow(len(root.raw)+len(f.Raw)))
	if err != nil {
		return err
	}
	r.frame = append(r.frame[:0], make([]byte, frames.HeaderBytes+frames.ReferenceBytes)...)
	r.frame, err = frames.AppendCompressed(r.frame, f.Raw, f.Cuts, z)
	return err
}

// Forget drops the roots, but not the compressors.
func (r *Encoder) Forget() {
	for i := range r.compressors {
		r.compressors[i].root = nil
	}
}

// referenceWindow is what reaches all of a payload and its dictionary. A compressor has
// memory for all of its window.
func referenceWindow(bytes int) int {
	return max(frames.CompressionWindow, 1<<bits.Len(uint(bytes-1)))
}

// compressorOf returns one with the dictionary of the root and at least this window.
func (r *Encoder) compressorOf(root *memory, window int) (*zstd.Encoder, error) {
	have := r.compressors
	i := slices.IndexFunc(have, func(c compressor) bool { return c.root == root })
	if i < 0 {
		if i = len(have) - 1; len(have) < maxRootCompressors && r.changes >= changesPerCompressor*len(have) {
			i = len(have)
			have = append(have, compressor{})
		}
		r.changes++
	}
	if have[i].root != root || have[i].window < window {
		if err := have[i].change(root, r.level, window); err != nil {
			return nil, err
		}
	}
	used := have[i]
	copy(have[1:i+1], have[:i])
	have[0] = used
	r.compressors = have
	return used.z, nil
}

// change takes the payload of another root as the dictionary, and a larger window if
// need be.
func (c *compressor) change(root *memory, level zstd.EncoderLevel, window int) (err error) {
	c.root = root
	if c.z != nil && c.window >= window {
		return c.z.ResetWithOptions(nil, zstd.WithEncoderDictRaw(0, root.raw))
	}
	c.window = window
	c.z, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true), zstd.WithEncoderDictRaw(0, root.raw))
	return err
}
