package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// digestCheck remembers what CheckDigest found: the content of a Reader does not
// change.
type digestCheck struct {
	mu   sync.Mutex
	done bool
	err  error
}

// CheckDigest computes the digest of the content, and fails when it is not what
// Digest says, or when the index lists other frames than the file has. Whoever puts
// Digest on a result calls it: frames that were exchanged, or that come from another
// trace, have good checksums of their own, and only the digest knows their order.
// It decompresses every frame once, decodes none, and costs little beside a replay.
// The second call on a Reader costs nothing; any number of goroutines may call it.
func (r *Reader) CheckDigest(ctx context.Context) error {
	r.checked.mu.Lock()
	defer r.checked.mu.Unlock()
	if r.checked.done {
		return r.checked.err
	}
	err := r.checkDigest(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", r.name, err)
	}
	r.checked.done, r.checked.err = true, err
	return err
}

func (r *Reader) checkDigest(ctx context.Context) error {
	place := indexPlace{x: &r.index}
	digest := frames.NewDigester()
	scratch := NewChunk()
	end := int64(r.footer.IndexOffset)
	for at := int64(frames.MagicBytes); at < end; {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := r.readFrameHeader(at, end-at, scratch)
		if err == nil {
			err = place.pass(frameInfo{h.Kind, at, h.Length()}, h.Raw)
		}
		if err == nil && !h.Ancillary() {
			var raw []byte
			_, raw, err = r.readFrame(at, h.Length(), scratch)
			digest.Add(h.Kind, raw)
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = errBeyondIndex
			}
			return fmt.Errorf("%s: %w", place.at(at, h.Kind), err)
		}
		at += h.Length()
	}
	if err := place.end(); err != nil {
		return err
	}
	return r.compareDigest(&digest)
}

var errBeyondIndex = errors.New("the frame does not end before the index")

func (r *Reader) compareDigest(d *frames.Digester) error {
	if sum := d.Sum(); sum != r.footer.Digest {
		return fmt.Errorf("the content has digest %x, the footer says %s: frames were exchanged or come from another trace; copy it again or record it again", sum, r.Digest())
	}
	return nil
}

// indexPlace goes through the frames of an index in the order of the file.
type indexPlace struct {
	x                   *index
	chunks, others, cpu int // passed
}

// pass checks that the next frame of the file is the next one of the index; raw is
// its uncompressed length.
func (p *indexPlace) pass(f frameInfo, raw uint32) error {
	if f.kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
		if p.chunks == len(p.x.chunks) || p.x.chunks[p.chunks].Offset != f.offset || p.x.chunks[p.chunks].Length != f.length {
			return errors.New("the index lacks this chunk")
		}
		p.chunks++
		return sameRaw(raw, p.x.chunks[p.chunks-1].RawBytes)
	}
	if p.others == len(p.x.others) || p.x.others[p.others] != f {
		return errors.New("the index lacks this frame")
	}
	p.others++
	if f.kind != wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK {
		return nil
	}
	p.cpu++ // the index has as many as it lists frames of that kind
	return sameRaw(raw, p.x.cpu[p.cpu-1].RawBytes)
}

// at names the frame at the offset, which may have been passed last.
func (p *indexPlace) at(offset int64, kind wtapepb.FrameKind) string {
	if i := p.chunks - 1; kind == wtapepb.FrameKind_FRAME_KIND_CHUNK && i >= 0 && p.x.chunks[i].Offset == offset {
		return p.x.chunks[i].place(i)
	}
	return fmt.Sprintf("frame at offset %d", offset)
}

func sameRaw(have uint32, want int64) error {
	if int64(have) != want {
		return fmt.Errorf("%d bytes uncompressed, the index says %d", have, want)
	}
	return nil
}

// end checks that the index has no more.
func (p *indexPlace) end() error {
	if p.chunks != len(p.x.chunks) || p.others != len(p.x.others) {
		return fmt.Errorf("the index lists %d chunks and %d other frames, the file has %d and %d",
			len(p.x.chunks), len(p.x.others), p.chunks, p.others)
	}
	return nil
}
