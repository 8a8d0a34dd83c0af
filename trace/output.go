package trace

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
)

// output encodes and compresses frames in several workers and writes them in the
// order in which they were submitted, so that the bytes do not depend on the
// number of workers. The jobs are a fixed set that goes round: their number bounds
// the memory, and take waits while all are under way.
type output struct {
	w       io.Writer
	free    *jobStack
	work    workQueue
	ordered chan *frameJob
	workers sync.WaitGroup
	written chan struct{} // closed when the writing goroutine has ended
	failure atomic.Pointer[error]

	// Of the writing goroutine until it has ended.
	offset int64
	index  index
	digest frames.Digester

	level    Level
	encoders []*frameEncoder // one for each worker
}

// frameJob is one frame on its way: a raw chunk or a marshalled message.
type frameJob struct {
	kind  wtapepb.FrameKind
	chunk rawChunk
	cpu   CPUChunkInfo
	raw   []byte // the message
	cuts  []int  // places in raw where the compressor begins anew
	frame []byte
	ready chan struct{} // one token when frame is complete

	references references
	memory     *frameMemory // nil for a frame that none may refer to
}

func newOutput(w io.Writer, level Level, workers int) (*output, error) {
	if level >= levels {
		level = LevelDefault
	}
	jobs := workers + 2
	o := &output{
		level: level,
		w:     w, free: newJobStack(jobs), ordered: make(chan *frameJob, jobs),
		written: make(chan struct{}), digest: frames.NewDigester(),
	}
	for range workers {
		e, err := newFrameEncoder(level)
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
	frameJobs     = sync.Pool{New: func() any { return &frameJob{ready: make(chan struct{}, 1)} }}
	frameEncoders [levels]sync.Pool
)

// frameEncoder is what a worker has to itself.
type frameEncoder struct {
	chunks   chunkEncoder
	z        *zstd.Encoder
	referrer referrer
}

func newFrameEncoder(level Level) (*frameEncoder, error) {
	if e, ok := frameEncoders[level].Get().(*frameEncoder); ok {
		return e, nil
	}
	z, err := frames.NewCompressor(level.speed())
	return &frameEncoder{z: z, referrer: referrer{level: level.speed()}}, err
}

// recycle leaves memory to writers to come, after stop.
func (o *output) recycle() {
	for _, e := range o.encoders {
		e.referrer.forget()
		frameEncoders[o.level].Put(e)
	}
	o.encoders = nil
	for _, j := range o.free.jobs {
		frameJobs.Put(j)
	}
	o.free.jobs = nil
}

// take returns a free job, waiting for one if need be.
func (o *output) take() *frameJob { return o.free.take() }

// submit hands a job over.
func (o *output) submit(j *frameJob) {
	o.ordered <- j
	o.work.put(j)
}

func (o *output) encodeFrames(f *frameEncoder) {
	e := &f.chunks
	own := make(chan *frameJob, 1)
	for j := o.work.next(own); j != nil; j = o.work.next(own) {
		j.cuts = j.cuts[:0]
		if j.kind == wtapepb.FrameKind_FRAME_KIND_CHUNK {
			if j.raw = e.encode(j.raw[:0], &j.chunk); len(j.raw) > frames.MaxChunkRawBytes {
				o.fail(fmt.Errorf("launch %d, thread block %d takes %d bytes, the format allows %d; record a smaller input",
					j.chunk.launch, j.chunk.blocks[0], len(j.raw), frames.MaxChunkRawBytes))
				j.raw = j.raw[:0]
			} else {
				j.cuts = append(j.cuts, e.cuts...)
			}
		}
		var err error
		if j.frame, err = frames.AppendCut(j.frame[:0], j.kind, j.raw, j.cuts, f.z); err == nil {
			err = f.referrer.encode(j)
		}
		if err != nil {
			o.fail(err)
		}
		j.ready <- struct{}{}
	}
}

func (o *output) writeFrames() {
	defer close(o.written)
	for j := range o.ordered {
		<-j.ready
		o.digest.Add(j.kind, j.raw)
		if j.memory != nil {
			j.memory.place(j, o.offset)
		}
		o.record(j)
		o.put(j.frame)
		j.memory, j.references = nil, references{}
		o.free.put(j)
	}
}

// record enters the frame into the index.
func (o *output) record(j *frameJob) {
	length := int64(len(j.frame))
	if j.kind != wtapepb.FrameKind_FRAME_KIND_CHUNK {
		o.index.others = append(o.index.others, frameInfo{j.kind, o.offset, length})
		if j.kind == wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK {
			o.index.cpu = append(o.index.cpu, j.cpu)
		}
		return
	}
	blocks := j.chunk.blocks
	o.index.chunks = append(o.index.chunks, ChunkInfo{
		Launch: j.chunk.launch, FirstBlock: blocks[0], LastBlock: blocks[len(blocks)-1], Blocks: len(blocks),
		Offset: o.offset, Length: length, RawBytes: int64(len(j.raw)), WarpInstructions: j.chunk.warpInstructions,
	})
}

// put writes and keeps the first failure; after it nothing more is written.
func (o *output) put(b []byte) {
	o.offset += int64(len(b))
	if o.err() != nil {
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
func (o *output) fail(err error) { o.failure.CompareAndSwap(nil, &err) }

func (o *output) err() error {
	if e := o.failure.Load(); e != nil {
		return *e
	}
	return nil
}

// stop waits until everything submitted is written and ends the goroutines.
func (o *output) stop() {
	o.work.close()
	close(o.ordered)
	o.workers.Wait()
	<-o.written
}

// finish writes index and footer; call it after stop.
func (o *output) finish() error {
	raw, err := o.index.marshal()
	if err != nil {
		return err
	}
	frame := frames.Append(nil, wtapepb.FrameKind_FRAME_KIND_INDEX, raw, o.encoders[0].z)
	f := frames.Footer{IndexOffset: uint64(o.offset), IndexLength: uint64(len(frame)), Digest: o.digest.Sum()}
	o.put(f.Append(frame))
	return o.err()
}
