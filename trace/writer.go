package trace

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/pending"
)

// Options of a Writer. The zero value is good.
type Options struct {
	Level Level
	// Workers encode and compress in parallel; 0 is one per usable processor. The
	// bytes written do not depend on it.
	Workers int
}

// Writer writes a trace. It is used by one goroutine. The first error sticks:
// every later call returns it. A Writer must be ended with Finish or Abort.
type Writer struct {
	name   string // for messages
	out    *output
	header Header
	file   *pending.File // nil for NewWriter
	err    error
	ended  bool

	plans    []*plan
	launches []Launch
	timeline []HostEvent
	flushed  int // events already submitted
	totals   Totals

	block     blockRecord
	recording recording
	counted   rawChunk // scratch of CountBlock
	sampled   bool     // some thread block is not stored
	cpu       cpuRecording
	sampling  *Sampling

	memories   memories
	references bool // whether frames may refer to others
	leaders    leaders

	perPath, perBlock []uint64 // scratch of flushChunk
}

// NewWriter writes a trace to out. The name stands for it in error messages.
// Nothing that NewWriter's Writer leaves behind on failure is a valid trace.
func NewWriter(out io.Writer, name string, header Header, options Options) (*Writer, error) {
	workers := options.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	o, err := newOutput(out, options.Level, workers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	w := &Writer{name: name, out: o, header: header.clone(), references: options.Level != LevelFast, leaders: leaders{}}
	w.submit(wtapepb.FrameKind_FRAME_KIND_HEADER, headerToProto(&w.header))
	if w.err != nil {
		w.out.stop()
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
	if err := w.out.err(); err != nil {
		return w.fail(err)
	}
	return nil
}

// submit sends a message on its way.
func (w *Writer) submit(kind wtapepb.FrameKind, m proto.Message) {
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err == nil && len(raw) > frames.MaxMetadataRawBytes {
		err = fmt.Errorf("%s takes %d bytes, the format allows %d", m.ProtoReflect().Descriptor().Name(), len(raw), frames.MaxMetadataRawBytes)
	}
	if err != nil {
		w.fail(err)
		return
	}
	j := w.out.take()
	j.kind, j.raw = kind, raw
	if kind == wtapepb.FrameKind_FRAME_KIND_KERNEL && w.references {
		w.memories.addKernel(j)
	}
	w.out.submit(j)
}

// AddKernel adds a kernel after validating it and returns its index. The kernel
// must not change before Finish.
func (w *Writer) AddKernel(k *Kernel) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if w.cpu.threads > 0 {
		return 0, w.fail(errAfterCPU)
	}
	if err := k.Validate(); err != nil {
		return 0, w.fail(err)
	}
	w.submit(wtapepb.FrameKind_FRAME_KIND_KERNEL, kernelToProto(k))
	w.plans = append(w.plans, newPlan(k))
	return len(w.plans) - 1, w.err
}

// UpdateHeader lets the caller change the provenance at any time before Finish; a
// reader sees the last state.
func (w *Writer) UpdateHeader(update func(*Header)) { update(&w.header) }

// AddEvent appends an event to the host timeline and returns its index. Launches
// are added by BeginLaunch, which is why an EventLaunch is an error here.
func (w *Writer) AddEvent(e HostEvent) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if e.Kind == EventInvalid || e.Kind >= eventEnd || e.Kind == EventLaunch {
		return 0, w.fail(fmt.Errorf("BUG: event of kind %v added to the timeline", e.Kind))
	}
	return w.addEvent(e)
}

func (w *Writer) addEvent(e HostEvent) (int, error) {
	index := len(w.timeline)
	if w.cpu.threads > 0 {
		return 0, w.fail(errAfterCPU)
	}
	if i := slices.IndexFunc(e.After, func(i int) bool { return i < 0 || i >= index }); i >= 0 {
		return 0, w.fail(fmt.Errorf("BUG: event %d waits for event %d, which is not before it", index, e.After[i]))
	}
	e.After, e.Accesses = slices.Clone(e.After), slices.Clone(e.Accesses)
	w.timeline = append(w.timeline, e)
	switch e.Kind {
	case EventCopyToDevice:
		w.totals.BytesToDevice += e.Bytes
	case EventCopyToHost:
		w.totals.BytesToHost += e.Bytes
	}
	return index, nil
}

// timelineFrameEvents bounds the events of one Timeline message.
const timelineFrameEvents = 4096

// flushTimeline submits the events since the last call. It precedes every chunk,
// so that a file which is cut off still knows the launches of its chunks.
func (w *Writer) flushTimeline() {
	for events := range slices.Chunk(w.timeline[w.flushed:], timelineFrameEvents) {
		m := new(wtapepb.Timeline)
		for i := range events {
			m.Events = append(m.Events, eventToProto(&events[i], w.launches))
		}
		w.submit(wtapepb.FrameKind_FRAME_KIND_TIMELINE, m)
	}
	w.flushed = len(w.timeline)
}

// Totals are the counts so far: the host's events, and all chunks that are
// complete, which after EndLaunch means everything.
func (w *Writer) Totals() Totals { return w.totals }

// Finish completes the trace. With Create the file appears under its name now.
// When it fails the file is removed; the error names it.
func (w *Writer) Finish() error {
	if w.ended {
		return w.fail(errEnded)
	}
	if w.err == nil && w.recording.active {
		w.fail(fmt.Errorf("BUG: finished inside launch %d", len(w.launches)-1))
	}
	if w.err == nil && w.sampled && w.header.Sampling == "" {
		w.fail(errors.New("BUG: some thread blocks are not stored but Header.Sampling is empty"))
	}
	if w.err == nil {
		w.flushTimeline()
		w.flushCPU()
		w.submit(wtapepb.FrameKind_FRAME_KIND_SUMMARY, &wtapepb.Summary{
			Header: headerToProto(&w.header), Totals: totalsToProto(&w.totals), Sampling: samplingToProto(w.sampling),
		})
	}
	w.out.stop()
	w.check()
	w.ended = true
	if w.err == nil {
		if err := w.out.finish(); err != nil {
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
		w.out.recycle()
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
	w.out.stop()
	if w.file != nil {
		w.file.Discard() // the caller is giving up for a reason of its own
	}
	w.fail(errEnded)
}
