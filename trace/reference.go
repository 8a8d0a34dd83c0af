package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// A program that launches a kernel again mostly does the same again, and the
// chunks of one launch resemble each other. So a frame may be compressed with the
// payload of an earlier frame of its kind as the dictionary. That earlier frame
// stands on its own: reading a chunk takes one other frame at most.

// maxReferenceRaw bounds payload and dictionary together, so that a match reaches
// all of the dictionary within the compressor's window.
const maxReferenceRaw = 8 << 20

// frameMemory is the payload of a frame that later ones may refer to. It is filled
// by the worker that encodes the frame; done is closed then.
type frameMemory struct {
	done   chan struct{}
	root   *frameMemory // the frame that this one refers to, itself for none
	raw    []byte       // of a root, nil if it is too large
	offset int64        // in the file, of the writing goroutine

	stringsOnce sync.Once
	strings     stringSet // of raw, for those that may refer to it
}

func newFrameMemory() *frameMemory { return &frameMemory{done: make(chan struct{})} }

// memoryKey says which chunks should resemble each other: those of one kernel that
// begin with the same thread block.
type memoryKey struct {
	kernel int
	block  uint64
}

// memories are the frames that a later one may refer to, of the recording thread.
type memories struct {
	kernel *frameMemory // the first kernel
	chunks map[memoryKey]*frameMemory
	first  map[int]*frameMemory    // by kernel, its first chunk
	places map[uint64]*frameMemory // by first thread block, of whatever kernel
	order  []memorySize            // oldest first
	bytes  int
}

type memorySize struct {
	key    memoryKey
	memory *frameMemory
	bytes  int
}

// memoryBudget is about how many bytes of payloads a writer keeps.
const memoryBudget = 64 << 20

// references are what a job may refer to: the best one is taken.
type references [3]reference

// reference is a frame to refer to, and by how much the referring frame must shrink
// for that to be worth the second read: to less than so many sixteenths of what it
// has without, or with a reference before this one.
type reference struct {
	earlier    *frameMemory
	sixteenths int
}

// A chunk at the same place of an earlier launch is worth a reference at once; of
// another kernel if that goes through the same data. One elsewhere only if that halves
// the frame: as a root of its own it may serve the launches to come, which refer to
// the same place first.
const (
	samePlaceSixteenths   = 15
	otherKernelSixteenths = 12
	elsewhereSixteenths   = 8
)

// addKernel chooses the reference of a kernel's frame.
func (m *memories) addKernel(j *frameJob) {
	j.memory = newFrameMemory()
	if m.kernel == nil {
		m.kernel = j.memory
	}
	j.references = references{{m.kernel, samePlaceSixteenths}}
}

// addChunk chooses the reference of a chunk's frame.
func (m *memories) addChunk(j *frameJob, kernel int) {
	if m.chunks == nil {
		m.chunks, m.first, m.places = map[memoryKey]*frameMemory{}, map[int]*frameMemory{}, map[uint64]*frameMemory{}
	}
	key := memoryKey{kernel, j.chunk.blocks[0]}
	j.memory = newFrameMemory()
	j.references = references{{m.chunks[key], samePlaceSixteenths}, {m.places[key.block], otherKernelSixteenths}}
	if m.chunks[key] == nil {
		j.references[2] = reference{m.first[kernel], elsewhereSixteenths}
	}
	if m.first[kernel] == nil {
		m.first[kernel] = j.memory
	}
	m.keep(memorySize{key, j.memory, j.chunk.estimate()})
}

// keep makes a chunk known to later ones, and forgets the oldest.
func (m *memories) keep(s memorySize) {
	m.chunks[s.key], m.places[s.key.block] = s.memory, s.memory
	m.order = append(m.order, s)
	for m.bytes += s.bytes; m.bytes > memoryBudget; m.order = m.order[1:] {
		oldest := m.order[0]
		m.bytes -= oldest.bytes
		if m.chunks[oldest.key] == oldest.memory {
			delete(m.chunks, oldest.key)
		}
		if m.places[oldest.key.block] == oldest.memory {
			delete(m.places, oldest.key.block)
		}
	}
}

// estimate is about how many bytes the chunk's message will take.
func (c *rawChunk) estimate() int {
	return 4096 + 48*c.sets + 3*len(c.warpPath) + len(c.paths.Data) + len(c.masks.Data)
}

// referrer compresses frames with references, of one worker.
type referrer struct {
	level       zstd.EncoderLevel
	compressors []rootCompressor // that was used last first
	changes     int              // of dictionaries
	frame       []byte
	strings     sampledStrings // of the payload at hand
}

// rootCompressor is a compressor with the payload of a root as its dictionary. To take
// another dictionary costs more than to compress most frames: it indexes all of it, and
// clears and copies tables of a megabyte.
type rootCompressor struct {
	root   *frameMemory
	z      *zstd.Encoder
	window int
}

// The launches of a program refer to few roots in turn, so a worker has several
// compressors once it has changed dictionaries so often that another one pays.
const (
	maxRootCompressors   = len(references{})
	changesPerCompressor = 8
)

// encode compresses a job's payload with each frame that it may refer to, and keeps
// the smallest that is worth it, for place to complete. It has been compressed
// without.
func (r *referrer) encode(j *frameJob) error {
	if j.memory == nil {
		return nil
	}
	defer close(j.memory.done)
	j.memory.root = j.memory
	var tried [len(j.references)]*frameMemory
	missing := 1.0 // part of the payload's strings that j.frame has nothing to refer to for
	for i, reference := range j.references {
		root := reference.root(j.memory)
		if root == nil || slices.Contains(tried[:i], root) || len(root.raw)+len(j.raw) > maxReferenceRaw {
			continue
		}
		if tried == [len(j.references)]*frameMemory{} {
			r.strings.take(j.raw)
		}
		tried[i] = root
		lacks := r.strings.missing(root.sampled())
		if !reference.promising(lacks, missing) {
			continue
		}
		if err := r.compress(j, root); err != nil {
			return err
		}
		if 16*len(r.frame) < reference.sixteenths*len(j.frame) {
			j.memory.root, missing = root, lacks
			j.frame = append(j.frame[:0], r.frame...)
		}
	}
	if j.memory.root == j.memory && len(j.raw) <= maxReferenceRaw/2 {
		j.memory.raw = append([]byte(nil), j.raw...)
	}
	return nil
}

// promising reports whether a root that lacks so much of the payload's strings may shrink
// the frame enough, if what it is compressed with so far lacks so much: what the root
// lacks must be stored.
func (r reference) promising(lacks, missing float64) bool {
	return 16*lacks < float64(r.sixteenths)*missing
}

// sampled is the strings of a root.
func (m *frameMemory) sampled() *stringSet {
	m.stringsOnce.Do(func() {
		var s sampledStrings
		s.take(m.raw)
		m.strings = s.set
	})
	return &m.strings
}

// root is the frame to refer to, nil for none. The job that it waits for was
// submitted before this one, so that some worker has it already.
func (r reference) root(own *frameMemory) *frameMemory {
	if r.earlier == nil || r.earlier == own {
		return nil
	}
	<-r.earlier.done
	if r.earlier.root.raw == nil {
		return nil
	}
	return r.earlier.root
}

func (r *referrer) compress(j *frameJob, root *frameMemory) error {
	z, err := r.compressor(root, referenceWindow(len(root.raw)+len(j.raw)))
	if err != nil {
		return err
	}
	r.frame = append(r.frame[:0], make([]byte, frames.HeaderBytes+frames.ReferenceBytes)...)
	r.frame, err = frames.AppendCompressed(r.frame, j.raw, j.cuts, z)
	return err
}

// forget drops the roots, but not the compressors.
func (r *referrer) forget() {
	for i := range r.compressors {
		r.compressors[i].root = nil
	}
}

// referenceWindow is what reaches all of a payload and its dictionary. A compressor has
// memory for all of its window.
func referenceWindow(bytes int) int {
	return max(frames.CompressionWindow, 1<<bits.Len(uint(bytes-1)))
}

// compressor returns one with the dictionary of the root and at least this window.
func (r *referrer) compressor(root *frameMemory, window int) (*zstd.Encoder, error) {
	have := r.compressors
	i := slices.IndexFunc(have, func(c rootCompressor) bool { return c.root == root })
	if i < 0 {
		if i = len(have) - 1; len(have) < maxRootCompressors && r.changes >= changesPerCompressor*len(have) {
			i = len(have)
			have = append(have, rootCompressor{})
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
func (c *rootCompressor) change(root *frameMemory, level zstd.EncoderLevel, window int) (err error) {
	c.root = root
	if c.z != nil && c.window >= window {
		return c.z.ResetWithOptions(nil, zstd.WithEncoderDictRaw(0, root.raw))
	}
	c.window = window
	c.z, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true), zstd.WithEncoderDictRaw(0, root.raw))
	return err
}

// place completes the frame of a job that refers to another, now that it is known
// where both lie.
func (m *frameMemory) place(j *frameJob, offset int64) {
	m.offset = offset
	if m.root == m {
		return
	}
	payload := j.frame[frames.HeaderBytes:]
	binary.LittleEndian.PutUint64(payload, uint64(offset-m.root.offset))
	h := frames.Header{Kind: j.kind, Compression: frames.CompressionReference, Stored: uint32(len(payload)), Raw: uint32(len(j.raw)), CRC: crc32.Checksum(payload, frames.Castagnoli)}
	h.Append(j.frame[:0])
}

// readReference returns the payload of the frame that the frame at the offset
// refers to; the scratch chunk keeps it for the next time.
func (r *Reader) readReference(h *frames.Header, offset int64, scratch *Chunk) ([]byte, error) {
	if len(scratch.stored) < frames.ReferenceBytes {
		return nil, errors.New("the frame is too short for its reference")
	}
	distance := binary.LittleEndian.Uint64(scratch.stored)
	if distance == 0 || distance > uint64(offset-int64(frames.MagicBytes)) && r.relocate == nil {
		return nil, fmt.Errorf("it refers to a frame %d bytes before it, outside of the file", distance)
	}
	at := offset - int64(distance)
	if r.relocate != nil {
		moved, err := r.relocate(offset, at)
		if err != nil {
			return nil, err
		}
		at = moved
	}
	if scratch.referenceOf == r && scratch.referenceAt == at && scratch.referenceKind == h.Kind {
		return scratch.reference, nil
	}
	scratch.referenceOf = nil
	raw, err := r.readRoot(h.Kind, at, offset, scratch)
	if err != nil {
		return nil, fmt.Errorf("the frame at offset %d that it refers to: %w", at, err)
	}
	scratch.reference, scratch.referenceOf, scratch.referenceAt, scratch.referenceKind = raw, r, at, h.Kind
	return raw, nil
}

func (r *Reader) readRoot(kind wtapepb.FrameKind, at, end int64, scratch *Chunk) ([]byte, error) {
	var b [frames.HeaderBytes]byte
	if end-at < frames.HeaderBytes {
		return nil, frames.ErrNoFrame
	}
	if _, err := r.in.ReadAt(b[:], at); err != nil {
		return nil, err
	}
	var h frames.Header
	if err := h.Parse(b[:]); err != nil {
		return nil, err
	}
	switch {
	case h.Length() > end-at:
		return nil, frames.ErrNoFrame
	case h.Kind != kind:
		return nil, fmt.Errorf("is of kind %d, want %d", h.Kind, kind)
	case h.Compression == frames.CompressionReference:
		return nil, errors.New("refers to another frame itself")
	}
	stored := make([]byte, h.Stored)
	if _, err := r.in.ReadAt(stored, at+frames.HeaderBytes); err != nil {
		return nil, err
	}
	return frames.Decompress(scratch.reference, &h, stored, nil)
}
