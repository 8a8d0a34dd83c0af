// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/chunks"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/output"
	"github.com/warptape/warptape/trace/internal/references"
	"github.com/warptape/warptape/trace/pending"
)

// Options of a Writer. The zero value is good.
type Options struct {
	Level Level
	// Workers encode and compress in parallel; 0 is one per usable processor. The
	// bytes written do not depend on it.
	Workers int
	// CountLarge counts a thread block that is larger than a chunk may be, as CountBlock
	// does, and Header.Sampling says how many there are. Without it, such a block is an error.
	CountLarge bool
	// LargestBlock is how many bytes of memory a thread block may take in a replay to be
	// stored, at most LargestBlock, which zero means.
	LargestBlock int64
}

// LargestBlock is what Options.LargestBlock may be.
const LargestBlock = chunks.LargestBytes

// Writer writes a trace. It is used by one goroutine. The first error sticks:
// every later call returns it. A Writer must be ended with Finish or Abort.
type Writer struct {
	name   string // for messages
	out    *output.Output
	header trace.Header
	file   *pending.File // nil for NewWriter
	err    error
	ended  bool

	plans    []*content.Plan
	launches []trace.Launch
	timeline []trace.HostEvent
	flushed  int // events already submitted
	totals   trace.Totals

	block     chunks.ThreadBlock
	recording recording
	counted   chunks.Raw // scratch of CountBlock
	sampled   bool       // some thread block is not stored
	large     largeBlocks
	cpu       cpuRecording
	sampling  *trace.Sampling

	history    references.History
	references bool // whether frames may refer to others
	leaders    chunks.Leaders

	perPath, perBlock []uint64 // scratch of flushChunk
}

// NewWriter writes a trace to out. The name stands for it in error messages.
// Nothing that NewWriter's Writer leaves behind on failure is a valid trace.
func NewWriter(out io.Writer, name string, header trace.Header, options Options) (*Writer, error) {
	workers := options.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	o, err := output.New(out, options.Level.speed(), workers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if options.LargestBlock < 0 || options.LargestBlock > LargestBlock {
		o.Stop()
		return nil, fmt.Errorf("BUG: %s: thread blocks of %d bytes are to be stored, %d are possible", name, options.LargestBlock, int64(LargestBlock))
	}
	w := &Writer{name: name, out: o, header: header.Clone(), large: largeBlocks{count: options.CountLarge}, references: options.Level != LevelFast, leaders: chunks.Leaders{}}
	w.block.Most = options.LargestBlock
	w.submit(wtapepb.FrameKind_FRAME_KIND_HEADER, messages.FromHeader(&w.header))
	if w.err != nil {
		w.out.Stop()
		return nil, w.err
	}
	return w, nil
}

// fail makes the error stick and names the trace in it.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.name, err)
	}
	return w.err
}

var errAfterCPU = errors.New("BUG: a kernel or event came after the first CPU thread")

var errEnded = errors.New("the trace is finished or aborted already")

// check returns the error that sticks, also one that a worker met meanwhile.
func (w *Writer) check() error {
	if w.err != nil {
		return w.err
	}
	if w.ended {
		return w.fail(errEnded)
	}
	if err := w.out.Err(); err != nil {
		return w.fail(err)
	}
	return nil
}

// submit sends a message on its way.
func (w *Writer) submit(kind wtapepb.FrameKind, m proto.Message) {
	raw, ok := w.marshal(nil, m)
	if !ok {
		return
	}
	j := w.out.Take()
	j.Kind, j.Raw = kind, raw
	if kind == wtapepb.FrameKind_FRAME_KIND_KERNEL && w.references {
		w.history.AddKernel(&j.Frame)
	}
	w.out.Submit(j)
}

// marshal appends a message to dst. It fails the writer for one that the format has no room
// for.
func (w *Writer) marshal(dst []byte, m proto.Message) (raw []byte, ok bool) {
	raw, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(dst, m)
	if err == nil && len(raw) > frames.MaxMetadataRawBytes {
		err = fmt.Errorf("%s takes %d bytes, the format allows %d", m.ProtoReflect().Descriptor().Name(), len(raw), frames.MaxMetadataRawBytes)
	}
	if err != nil {
		w.fail(err)
	}
	return raw, err == nil
}

// AddKernel adds a kernel after validating it and returns its index. The kernel
// must not change before Finish.
func (w *Writer) AddKernel(k *trace.Kernel) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if w.cpu.threads > 0 {
		return 0, w.fail(errAfterCPU)
	}
	if err := k.Validate(); err != nil {
		return 0, w.fail(err)
	}
	w.submit(wtapepb.FrameKind_FRAME_KIND_KERNEL, messages.FromKernel(k))
	w.plans = append(w.plans, content.NewPlan(k))
	return len(w.plans) - 1, w.err
}

// UpdateHeader lets the caller change the provenance at any time before Finish; a
// reader sees the last state.
func (w *Writer) UpdateHeader(update func(*trace.Header)) { update(&w.header) }

// Totals are the counts so far: the host's events, and all chunks that are
// complete, which after EndLaunch means everything.
func (w *Writer) Totals() trace.Totals { return w.totals }

// Finish completes the trace. With Create the file appears under its name now.
// When it fails the file is removed; the error names it.
func (w *Writer) Finish() error {
	if w.ended {
		return w.fail(errEnded)
	}
	if w.err == nil && w.recording.active {
		w.fail(fmt.Errorf("BUG: finished inside launch %d", len(w.launches)-1))
	}
	w.describeLarge()
	if w.err == nil && w.sampled && w.header.Sampling == "" {
		w.fail(errors.New("BUG: some thread blocks are not stored but Header.Sampling is empty"))
	}
	if w.err == nil {
		w.flushTimeline()
		w.flushCPU()
		w.submit(wtapepb.FrameKind_FRAME_KIND_SUMMARY, &wtapepb.Summary{
			Header: messages.FromHeader(&w.header), Totals: messages.FromTotals(&w.totals), Sampling: messages.FromSampling(w.sampling),
		})
	}
	w.out.Stop()
	w.check()
	w.ended = true
	if w.err == nil {
		if err := w.out.Finish(); err != nil {
			w.fail(err)
		}
	}
	if w.file != nil && w.err == nil {
		if err := w.file.Commit(); err != nil {
			w.fail(err)
		}
	}
	if w.file != nil {
		w.file.Discard() // without effect on a file that is complete
	}
	if w.err == nil {
		w.out.Recycle()
	}
	return w.err
}

// Abort gives the trace up and removes the unfinished file. After Finish it does
// nothing, so that it can be deferred.
func (w *Writer) Abort() {
	if w.ended {
		return
	}
	w.ended = true
	w.out.Stop()
	if w.file != nil {
		w.file.Discard() // the caller is giving up for a reason of its own
	}
	w.fail(errEnded)
}

// SetSampling describes the sample before Finish, and names its policy in the
// header.
func (w *Writer) SetSampling(s *trace.Sampling) {
	w.sampling = s
	w.header.Sampling = s.Policy
}

// SetTotals sets the counts of the whole run, before Finish, for a copy that has only a
// part of it.
func (w *Writer) SetTotals(t trace.Totals) {
	w.flushCPU() // or Finish would count what is pending
	w.totals = t
}
