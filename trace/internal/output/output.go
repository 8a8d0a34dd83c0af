// SPDX-License-Identifier: Apache-2.0

// Package output encodes, compresses and writes the frames of a trace, with its index and footer.
package output

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/chunks"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/jobs"
	"github.com/warptape/warptape/trace/internal/references"
)

// Output encodes and compresses frames in several workers. It writes them in the
// order in which they were submitted, so that the bytes do not depend on the
// number of workers. The jobs are a fixed set that goes round: their number bounds
// the memory, and Take waits while all are under way.
type Output struct {
	w       io.Writer
	free    *jobs.Free[Job]
	work    jobs.Queue[Job]
	ordered chan *Job
	workers sync.WaitGroup
	written chan struct{} // closed when the writing goroutine has ended
	failure atomic.Pointer[error]
	leftOut atomic.Bool // whether the last chunk that was alone was

	// Of the writing goroutine until it has ended. buffer has the frames that are not yet
	// in the file.
	buffer []byte
	offset int64
	index  container.Index
	digest frames.Digester

	speed    zstd.EncoderLevel
	encoders []*frameEncoder // one for each worker
}

// Job is one frame on its way: a raw chunk or a marshalled message.
type Job struct {
	references.Frame
	// Before is a small message whose frame precedes this one; a job by itself would cost
	// more than the frame. It is empty for none.
	Before before
	Chunk  chunks.Raw
	CPU    container.CPUChunkInfo
	// Alone says that the chunk is a thread block that is large: its memory is not kept.
	// Optional, that it is left out if its frame is larger than the format allows.
	Alone, Optional bool
	leftOut         bool
	ready           chan struct{} // one token when the frame is complete
}

// before is the frame of a message on its way.
type before struct {
	Kind       wtapepb.FrameKind
	Raw, bytes []byte
}

// keptBefore bounds the memory of a small message that a job keeps.
const keptBefore = 64 << 10

// New starts the workers and writes the magic.
func New(w io.Writer, speed zstd.EncoderLevel, workers int) (*Output, error) {
	free := make([]*Job, workers+2)
	for i := range free {
		free[i] = frameJobs.Get().(*Job)
	}
	o := &Output{
		speed: speed,
		w:     w, free: jobs.NewFree(free), ordered: make(chan *Job, len(free)),
		written: make(chan struct{}), digest: frames.NewDigester(),
	}
	for range workers {
		e, err := newFrameEncoder(speed)
		if err != nil {
			return nil, err
		}
		o.encoders = append(o.encoders, e)
	}
	o.put(append([]byte(frames.Magic), frames.MajorVersion))
	for _, e := range o.encoders {
		o.workers.Go(func() { o.encodeFrames(e) })
	}
	go o.writeFrames()
	return o, nil
}

// frameJobs and frameEncoders are those of writers that have ended: a process that
// records many programs does not grow and clear their memory for each.
var (
	frameJobs     = sync.Pool{New: func() any { return &Job{ready: make(chan struct{}, 1)} }}
	frameEncoders [zstd.SpeedBestCompression + 1]sync.Pool
)

// frameEncoder is what a worker has to itself.
type frameEncoder struct {
	chunks     chunks.Encoder
	z          *zstd.Encoder
	references references.Encoder
}

func newFrameEncoder(speed zstd.EncoderLevel) (*frameEncoder, error) {
	if e, ok := frameEncoders[speed].Get().(*frameEncoder); ok {
		return e, nil
	}
	z, err := frames.NewCompressor(speed)
	return &frameEncoder{z: z, references: references.NewEncoder(speed)}, err
}

// Recycle leaves memory to writers to come, after Stop.
func (o *Output) Recycle() {
	for _, e := range o.encoders {
		e.references.Forget()
		frameEncoders[o.speed].Put(e)
	}
	o.encoders = nil
	for _, j := range o.free.TakeAll() {
		frameJobs.Put(j)
	}
}

// Take returns a free job, waiting for one if need be.
func (o *Output) Take() *Job { return o.free.Take() }

// SubmitAlone hands the chunk of a large thread block over and waits until all frames are
// written, so that one such chunk takes memory at a time. It reports whether the chunk was
// left out.
func (o *Output) SubmitAlone(j *Job) (leftOut bool) {
	j.Alone = true
	o.Submit(j)
	all := make([]*Job, cap(o.ordered))
	for i := range all {
		all[i] = o.free.Take()
	}
	for _, j := range all {
		o.free.Put(j)
	}
	return o.leftOut.Load()
}

// Submit hands a job over.
func (o *Output) Submit(j *Job) {
	o.ordered <- j
	o.work.Put(j)
}

func (o *Output) encodeFrames(f *frameEncoder) {
	e := &f.chunks
	own := make(chan *Job, 1)
	for j := o.work.Next(own); j != nil; j = o.work.Next(own) {
		j.Cuts = j.Cuts[:0]
		if j.Kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
			if j.Raw = e.Encode(j.Raw[:0], &j.Chunk); len(j.Raw) > frames.MaxChunkRawBytes && j.Optional {
				j.leftOut = true
				j.Raw = j.Raw[:0]
			} else if len(j.Raw) > frames.MaxChunkRawBytes {
				o.fail(fmt.Errorf("launch %d, thread block %d takes %d bytes, the format allows %d; record a smaller input",
					j.Chunk.Launch, j.Chunk.Blocks[0], len(j.Raw), frames.MaxChunkRawBytes))
				j.Raw = j.Raw[:0]
			} else {
				j.Cuts = append(j.Cuts, e.Cuts...)
			}
			if j.Alone {
				*e = chunks.Encoder{}
			}
		}
		var err error
		if b := &j.Before; len(b.Raw) > 0 {
			b.bytes, err = frames.AppendCut(b.bytes[:0], b.Kind, b.Raw, nil, f.z)
		}
		if err == nil {
			j.Bytes, err = frames.AppendCut(j.Bytes[:0], j.Kind, j.Raw, j.Cuts, f.z)
		}
		if err == nil {
			err = f.references.Encode(&j.Frame)
		}
		if err != nil {
			o.fail(err)
		}
		j.ready <- struct{}{}
	}
}

// Frames go to the file together: a launch of a few microseconds leaves two, and a system
// call for each would cost more than to compress it. They wait for so many bytes or so
// long, so that a process that is killed leaves nearly all that was finished.
const (
	writeBytes = 64 << 10
	writeTime  = 50 * time.Millisecond
)

func (o *Output) writeFrames() {
	defer close(o.written)
	late := time.NewTimer(writeTime) // for the magic
	defer late.Stop()
	for {
		select {
		case j, more := <-o.ordered:
			if !more {
				o.flush()
				return
			}
			<-j.ready
			if len(o.buffer) == 0 {
				late.Reset(writeTime)
			}
			o.write(j)
		case <-late.C:
			o.flush()
		}
	}
}

// write writes a complete job's frames and gives the job back.
func (o *Output) write(j *Job) {
	if b := &j.Before; len(b.Raw) > 0 {
		o.digest.Add(b.Kind, b.Raw)
		o.recordOther(b.Kind, int64(len(b.bytes)))
		o.put(b.bytes)
		if b.Raw = b.Raw[:0]; cap(b.Raw) > keptBefore {
			*b = before{}
		}
	}
	if !j.leftOut {
		o.digest.Add(j.Kind, j.Raw)
		j.Place(o.offset)
		o.record(j)
		o.put(j.Bytes)
	}
	j.Forget()
	if j.Alone {
		o.leftOut.Store(j.leftOut)
		*j = Job{ready: j.ready}
	}
	o.free.Put(j)
}

// record enters the frame into the index.
func (o *Output) record(j *Job) {
	length := int64(len(j.Bytes))
	if j.Kind != wtapepb.FrameKind_FRAME_KIND_CHUNK {
		o.recordOther(j.Kind, length)
		if frames.CPUChunk(j.Kind) {
			o.index.CPU = append(o.index.CPU, j.CPU)
		}
		return
	}
	blocks := j.Chunk.Blocks
	o.index.Chunks = append(o.index.Chunks, container.ChunkInfo{
		Launch: j.Chunk.Launch, FirstBlock: blocks[0], LastBlock: blocks[len(blocks)-1], Blocks: len(blocks),
		Offset: o.offset, Length: length, RawBytes: int64(len(j.Raw)), WarpInstructions: j.Chunk.WarpInstructions,
	})
}

// recordOther enters a frame that is no chunk.
func (o *Output) recordOther(kind wtapepb.FrameKind, length int64) {
	o.index.Others = append(o.index.Others, container.FrameInfo{Kind: kind, Offset: o.offset, Length: length})
}

// put adds to what goes to the file.
func (o *Output) put(b []byte) {
	o.offset += int64(len(b))
	if len(b) >= writeBytes { // nothing is gained by copying it
		o.flush()
		o.send(b)
		return
	}
	if o.buffer = append(o.buffer, b...); len(o.buffer) >= writeBytes {
		o.flush()
	}
}

// flush writes what waits.
func (o *Output) flush() {
	if len(o.buffer) > 0 {
		o.send(o.buffer)
		o.buffer = o.buffer[:0]
	}
}

// send writes and keeps the first failure; after it nothing more is written.
func (o *Output) send(b []byte) {
	if o.Err() != nil {
		return
	}
	n, err := o.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		o.fail(fmt.Errorf("write failed: %w", err))
	}
}

// fail keeps the first failure.
func (o *Output) fail(err error) { o.failure.CompareAndSwap(nil, &err) }

func (o *Output) Err() error {
	if e := o.failure.Load(); e != nil {
		return *e
	}
	return nil
}

// Stop waits until everything submitted is written and ends the goroutines.
func (o *Output) Stop() {
	o.work.Close()
	close(o.ordered)
	o.workers.Wait()
	<-o.written
}

// Finish writes index and footer; call it after Stop.
func (o *Output) Finish() error {
	raw, err := o.index.Marshal()
	if err != nil {
		return err
	}
	frame := frames.Append(nil, wtapepb.FrameKind_FRAME_KIND_INDEX, raw, o.encoders[0].z)
	f := frames.Footer{IndexOffset: uint64(o.offset), IndexLength: uint64(len(frame)), Digest: o.digest.Sum()}
	o.put(f.Append(frame))
	o.flush()
	return o.Err()
}
