package trace

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// Reader reads a trace. Opening reads everything but the chunks. After that it
// never changes, so any number of goroutines may use it at once, each with a Chunk
// of its own.
type Reader struct {
	name string // for messages
	in   io.ReaderAt
	file io.Closer // nil for NewReader
	size int64

	version  byte // of the format
	footer   frames.Footer
	index    index
	initial  Header // of the header frame; header is the summary's
	header   Header
	totals   Totals
	kernels  []Kernel
	plans    []*plan
	launches []Launch
	timeline []HostEvent
	sampling *Sampling

	metadataBytes int64 // uncompressed so far
	summarised    bool

	checked *digestCheck
	// relocate, for recovery, gives the offset of the frame that the frame at the
	// offset refers to, where frames do not lie where they were written; at is where
	// it would lie.
	relocate func(offset, at int64) (int64, error)
}

// Open opens a trace file. Its errors name the file and the place: an error that
// is a *CutOffError for a file without its end, others for one that is damaged, of
// a later format version or no trace at all.
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
	r.file = f
	return r, nil
}

// NewReader is Open for size bytes of any source. Its messages call it "trace".
func NewReader(in io.ReaderAt, size int64) (*Reader, error) { return newReader(in, size, "trace") }

func newReader(in io.ReaderAt, size int64, name string) (*Reader, error) {
	r := &Reader{name: name, in: in, size: size, checked: new(digestCheck)}
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
	if err := r.readMagic(); err != nil {
		return err
	}
	if err := r.readFooter(); err != nil {
		if errors.Is(err, frames.ErrNoFooter) {
			return r.cutOff()
		}
		return err
	}
	if err := r.readIndex(); err != nil {
		return fmt.Errorf("index at offset %d: %w", r.footer.IndexOffset, err)
	}
	scratch := NewChunk()
	for _, o := range r.index.others {
		if err := r.readMetadata(o, scratch); err != nil {
			return fmt.Errorf("frame at offset %d: %w", o.offset, err)
		}
	}
	if !r.summarised {
		return errors.New("the summary is missing: record it again")
	}
	if n := len(r.index.cpu); n > 0 && uint64(r.index.cpu[n-1].Thread) >= r.totals.CPU.Threads || r.totals.CPU.Threads > maxCPUThreads {
		return fmt.Errorf("the summary counts %d CPU threads", r.totals.CPU.Threads)
	}
	for i := range r.index.chunks {
		if c := &r.index.chunks[i]; c.Launch >= len(r.launches) || c.LastBlock >= r.launches[c.Launch].Grid.Count() {
			return fmt.Errorf("index: chunk %d is of launch %d up to thread block %d, which does not exist", i, c.Launch, c.LastBlock)
		}
	}
	return r.checkSampling()
}

func (r *Reader) readMagic() error {
	var b [frames.MagicBytes]byte
	if r.size < int64(len(b)) {
		return fmt.Errorf("is no Warptape trace (%d bytes)", r.size)
	}
	if _, err := r.in.ReadAt(b[:], 0); err != nil {
		return err
	}
	if string(b[:len(frames.Magic)]) != frames.Magic {
		return errors.New("is no Warptape trace (it does not start with its magic)")
	}
	if v := b[len(frames.Magic)]; v < 1 || v > frames.MajorVersion {
		return fmt.Errorf("has trace format version %d, this program reads versions 1 to %d: use the Warptape that wrote it, or a newer one", v, frames.MajorVersion)
	}
	r.version = b[len(frames.Magic)]
	return nil
}

func (r *Reader) readFooter() error {
	var b [frames.FooterBytes]byte
	at := r.size - frames.FooterBytes
	if at < int64(frames.MagicBytes) {
		return frames.ErrNoFooter
	}
	if _, err := r.in.ReadAt(b[:], at); err != nil {
		return err
	}
	if err := r.footer.Parse(b[:], r.version); err != nil {
		return err
	}
	f := &r.footer
	if f.IndexOffset < uint64(frames.MagicBytes) || f.IndexOffset > uint64(at) || f.IndexLength != uint64(at)-f.IndexOffset {
		return fmt.Errorf("the footer puts %d bytes of index at offset %d of a file of %d bytes", f.IndexLength, f.IndexOffset, r.size)
	}
	return nil
}

func (r *Reader) readIndex() error {
	h, raw, err := r.readFrame(int64(r.footer.IndexOffset), int64(r.footer.IndexLength), NewChunk())
	if err != nil {
		return err
	}
	if h.Kind != wtapepb.FrameKind_FRAME_KIND_INDEX {
		return fmt.Errorf("is a frame of kind %d", h.Kind)
	}
	return r.index.unmarshal(raw, int64(r.footer.IndexOffset))
}

// readFrameHeader reads the header of the frame at offset, of which at most limit
// bytes can be there.
func (r *Reader) readFrameHeader(offset, limit int64, scratch *Chunk) (frames.Header, error) {
	var h frames.Header
	if limit < frames.HeaderBytes {
		return h, io.ErrUnexpectedEOF
	}
	scratch.stored = slices.Grow(scratch.stored[:0], frames.HeaderBytes)[:frames.HeaderBytes]
	if _, err := r.in.ReadAt(scratch.stored, offset); err != nil {
		return h, err
	}
	if err := h.Parse(scratch.stored); err != nil {
		return h, err
	}
	if h.Length() > limit {
		return h, io.ErrUnexpectedEOF
	}
	return h, nil
}

// readFrame reads and decompresses the frame at offset, whose length must be as
// given. The payload lies in the scratch chunk.
func (r *Reader) readFrame(offset, length int64, scratch *Chunk) (frames.Header, []byte, error) {
	h, err := r.readFrameHeader(offset, length, scratch)
	if err != nil {
		return h, nil, err
	}
	if h.Length() != length {
		return h, nil, fmt.Errorf("the frame has %d bytes, the index says %d", h.Length(), length)
	}
	scratch.stored = slices.Grow(scratch.stored[:0], int(h.Stored))[:h.Stored]
	if _, err := r.in.ReadAt(scratch.stored, offset+frames.HeaderBytes); err != nil {
		return h, nil, err
	}
	var reference []byte
	if h.Compression == frames.CompressionReference {
		if reference, err = r.readReference(&h, offset, scratch); err != nil {
			return h, nil, err
		}
	}
	scratch.raw, err = frames.Decompress(scratch.raw, &h, scratch.stored, reference)
	return h, scratch.raw, err
}

// readMetadata reads a frame that is no chunk.
func (r *Reader) readMetadata(o frameInfo, scratch *Chunk) error {
	h, err := r.readFrameHeader(o.offset, o.length, scratch)
	if err != nil {
		return err
	}
	if h.Kind != o.kind {
		return fmt.Errorf("is of kind %d, the index says %d", h.Kind, o.kind)
	}
	if h.Ancillary() || h.Kind == wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK {
		return nil // read when it is asked for
	}
	if r.metadataBytes += int64(h.Raw); r.metadataBytes > maxMetadataBytes {
		return fmt.Errorf("more than %d bytes of kernels and events", maxMetadataBytes)
	}
	_, raw, err := r.readFrame(o.offset, o.length, scratch)
	if err != nil {
		return err
	}
	if err := checkMessageSize(h.Kind, raw); err != nil {
		return err
	}
	switch h.Kind {
	case wtapepb.FrameKind_FRAME_KIND_HEADER:
		m := new(wtapepb.Header) // the summary has the final one
		err := proto.Unmarshal(raw, m)
		r.initial = headerFromProto(m)
		return err
	case wtapepb.FrameKind_FRAME_KIND_KERNEL:
		return r.addKernel(raw)
	case wtapepb.FrameKind_FRAME_KIND_TIMELINE:
		return r.addEvents(raw)
	case wtapepb.FrameKind_FRAME_KIND_SUMMARY:
		return r.setSummary(raw)
	}
	return fmt.Errorf("unknown kind %d: the trace is of a later version, use a newer Warptape", h.Kind)
}

func (r *Reader) addKernel(raw []byte) error {
	m := new(wtapepb.Kernel)
	if err := proto.Unmarshal(raw, m); err != nil {
		return err
	}
	k := kernelFromProto(m)
	if err := k.Validate(); err != nil {
		return err
	}
	r.kernels = append(r.kernels, *k)
	r.plans = append(r.plans, newPlan(k))
	return nil
}

func (r *Reader) addEvents(raw []byte) error {
	m := new(wtapepb.Timeline)
	if err := proto.Unmarshal(raw, m); err != nil {
		return err
	}
	for _, e := range m.Events {
		event, err := eventFromProto(e, len(r.timeline), len(r.launches))
		if err != nil {
			return err
		}
		if event.Kind == EventLaunch {
			l := launchFromProto(e.Launch)
			if err := l.validate(len(r.kernels)); err != nil {
				return fmt.Errorf("launch %d: %w", len(r.launches), err)
			}
			r.launches = append(r.launches, l)
		}
		r.timeline = append(r.timeline, event)
	}
	return nil
}

func (r *Reader) setSummary(raw []byte) error {
	if r.summarised {
		return errors.New("a second summary")
	}
	m := new(wtapepb.Summary)
	if err := proto.Unmarshal(raw, m); err != nil {
		return err
	}
	sampling, err := samplingFromProto(m.Sampling)
	if err != nil {
		return err
	}
	r.header, r.totals, r.sampling, r.summarised = headerFromProto(m.Header), totalsFromProto(m.Totals), sampling, true
	return nil
}

// Name is the path that the trace was opened by.
func (r *Reader) Name() string { return r.name }

// Size is the size of the file in bytes.
func (r *Reader) Size() int64 { return r.size }

// Header is the trace's provenance.
func (r *Reader) Header() Header { return r.header.clone() }

// Kernels are the traced kernels; Launch.Kernel is an index into them. Read-only.
func (r *Reader) Kernels() []Kernel { return r.kernels }

// Launches are the kernel launches in program order. Read-only.
func (r *Reader) Launches() []Launch { return r.launches }

// Timeline is the host's side, launches included. Read-only.
func (r *Reader) Timeline() []HostEvent { return r.timeline }

// Totals are the exact counts of the whole run.
func (r *Reader) Totals() Totals { return r.totals }

// Digest identifies the content, whatever the compression: lower-case hex SHA-256.
// It is as stored; CheckDigest and Verify compute it.
func (r *Reader) Digest() string { return hex.EncodeToString(r.footer.Digest[:]) }

// Chunks lists the chunks, ascending by launch and thread block. Read-only.
func (r *Reader) Chunks() []ChunkInfo { return r.index.chunks }

// LaunchChunks returns the chunks of a launch: numbers first to end-1.
func (r *Reader) LaunchChunks(launch int) (first, end int) {
	return r.index.find(launch, 0), r.index.find(launch+1, 0)
}

// FindChunk returns the number of the chunk that holds a thread block. In a sampled
// trace that chunk may turn out to lack the thread block, see Chunk.Blocks.
func (r *Reader) FindChunk(launch int, block uint64) (int, error) {
	i := r.index.find(launch, block)
	if i == len(r.index.chunks) || r.index.chunks[i].Launch != launch || r.index.chunks[i].FirstBlock > block {
		return 0, fmt.Errorf("%s: launch %d, thread block %d is not stored: see the trace's launches and sampling", r.name, launch, block)
	}
	return i, nil
}

// ReadChunk reads and decodes chunk i, replacing what was in the chunk. The error
// names the file and the chunk; the chunk's content is undefined then.
func (r *Reader) ReadChunk(i int, into *Chunk) error {
	if i < 0 || i >= len(r.index.chunks) {
		return fmt.Errorf("%s: chunk %d of %d does not exist", r.name, i, len(r.index.chunks))
	}
	info := &r.index.chunks[i]
	if err := r.readChunk(info, into); err != nil {
		return fmt.Errorf("%s: %s: %w", r.name, info.place(i), err)
	}
	return nil
}

func (r *Reader) readChunk(info *ChunkInfo, into *Chunk) error {
	h, _, err := r.readFrame(info.Offset, info.Length, into)
	if err != nil {
		return err
	}
	if h.Kind != wtapepb.FrameKind_FRAME_KIND_CHUNK {
		return fmt.Errorf("is a frame of kind %d", h.Kind)
	}
	if err := into.decode(r.launches, r.plans); err != nil {
		return err
	}
	if b := into.blocks; into.launch != info.Launch || len(b) != info.Blocks || b[0] != info.FirstBlock || b[len(b)-1] != info.LastBlock {
		return fmt.Errorf("holds %d thread blocks, %d to %d of launch %d, contrary to the index", len(b), b[0], b[len(b)-1], into.launch)
	}
	return nil
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
