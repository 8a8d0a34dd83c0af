// SPDX-License-Identifier: Apache-2.0

// Package transcriber hands the content of a trace, or a part of it, to a sink in the order of
// a recording.
package transcriber

import (
	"fmt"
	"sort"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/messages"
)

// Sink takes kernels, events and thread blocks in the order of a recording, then CPU
// threads: a trace's writer, or the text form.
type Sink interface {
	AddKernel(*trace.Kernel) (int, error)
	AddEvent(trace.HostEvent) (int, error)
	BeginLaunch(l trace.Launch, after ...int) (int, error)
	BeginChunk()
	BeginBlock(block uint64)
	Visit(warp int, block, mask uint32)
	Guard(warp int, mask uint32)
	Access(warp int, mask uint32, addresses *[trace.WarpSize]uint64)
	AccessStrided(warp int, mask uint32, base uint64, stride int64)
	EndBlock() error
	EndLaunch() error
	BeginCPUThread() (int, error)
	BeginCPUChunk() error
	AddCPU(in *trace.CPUInstruction, taken bool, addresses []uint64) error
	AddCPUSync(s trace.CPUSync) error
}

// Transcriber copies a trace, or a part of it, into a sink. What it copies
// whole comes out with the digest that it had: kernels go between the chunks where
// they were.
type Transcriber struct {
	// Launches and Blocks choose what is copied.
	Launches, Blocks trace.Range
	// Shared has the numbers of kernels in the sink by what they are; nil keeps equal
	// kernels apart.
	Shared map[string]int
	// Events are those that the sink has.
	Events int
	// Copied are the thread blocks that were copied.
	Copied int

	content *content.Content
	w       Sink
	kernels []int   // per kernel: its number in w, -1 before it is added
	events  [][]int // per event: the events of w that stand for it
	chunks  int     // passed so far

	chunk  content.Chunk
	lanes  [trace.WarpSize]uint64
	before []int // per kernel: chunks that precede it in the file
}

// New copies everything, unless told otherwise.
func New(c *content.Content, w Sink) *Transcriber {
	t := &Transcriber{content: c, w: w, Launches: trace.Everything, Blocks: trace.Everything}
	for range c.Kernels {
		t.kernels = append(t.kernels, -1)
	}
	for _, o := range c.File.Index.Others {
		if o.Kind == wtapepb.FrameKind_FRAME_KIND_KERNEL {
			chunks := c.File.Index.Chunks
			t.before = append(t.before, sort.Search(len(chunks), func(i int) bool { return chunks[i].Offset > o.Offset }))
		}
	}
	return t
}

// Run copies timeline, kernels and thread blocks; it does not finish the writer.
func (t *Transcriber) Run() error {
	for i := range t.content.Timeline {
		if err := t.addKernels(); err != nil {
			return err
		}
		e := &t.content.Timeline[i]
		after := t.standIns(e.After)
		if e.Kind == trace.EventLaunch && (!t.Launches.Has(uint64(e.Launch)) || t.content.LostLaunch(e.Launch)) {
			_, t.chunks = t.content.LaunchChunks(e.Launch)
			t.events = append(t.events, after) // what waited for it waits for what it waited for
			continue
		}
		t.events = append(t.events, []int{t.Events})
		t.Events++
		if err := t.event(*e, after); err != nil {
			return err
		}
	}
	t.chunks = len(t.content.File.Index.Chunks)
	return t.addKernels()
}

// standIns are the events of the writer that stand for events of the reader.
func (t *Transcriber) standIns(events []int) (in []int) {
	for _, e := range events {
		for _, n := range t.events[e] {
			if len(in) == 0 || in[len(in)-1] != n {
				in = append(in, n)
			}
		}
	}
	return in
}

// addKernels adds the kernels that precede the next chunk.
func (t *Transcriber) addKernels() error {
	for i := range t.kernels {
		if t.kernels[i] >= 0 || t.before[i] > t.chunks || t.content.Plans[i] == nil {
			continue
		}
		n, err := t.addKernel(&t.content.Kernels[i])
		if err != nil {
			return err
		}
		t.kernels[i] = n
	}
	return nil
}

// addKernel adds a kernel, once for equal ones where the transcription shares them.
func (t *Transcriber) addKernel(k *trace.Kernel) (int, error) {
	if t.Shared == nil {
		return t.w.AddKernel(k)
	}
	key, err := kernelKey(k)
	if err != nil {
		return 0, err
	}
	if n, ok := t.Shared[key]; ok {
		return n, nil
	}
	n, err := t.w.AddKernel(k)
	t.Shared[key] = n
	return n, err
}

// kernelKey is equal for equal kernels only.
func kernelKey(k *trace.Kernel) (string, error) {
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(messages.FromKernel(k))
	return string(raw), err
}

func (t *Transcriber) event(e trace.HostEvent, after []int) error {
	if e.Kind != trace.EventLaunch {
		e.After = after
		_, err := t.w.AddEvent(e)
		return err
	}
	l := t.content.Launches[e.Launch]
	if l.Kernel = t.kernels[l.Kernel]; l.Kernel < 0 {
		return fmt.Errorf("%s: launch %d precedes its kernel", t.content.Name, e.Launch)
	}
	if _, err := t.w.BeginLaunch(l, after...); err != nil {
		return err
	}
	for first, end := t.content.LaunchChunks(e.Launch); first < end; first++ {
		if err := t.copyChunk(first); err != nil {
			return err
		}
	}
	_, t.chunks = t.content.LaunchChunks(e.Launch)
	return t.w.EndLaunch()
}

// copyChunk copies the chosen thread blocks of a chunk.
func (t *Transcriber) copyChunk(i int) error {
	info := &t.content.File.Index.Chunks[i]
	if info.LastBlock < t.Blocks.First || info.FirstBlock > t.Blocks.Last {
		return nil
	}
	if err := t.content.ReadChunkNumber(i, &t.chunk); err != nil {
		return err
	}
	l := &t.content.Launches[info.Launch]
	p := t.content.Plans[l.Kernel]
	if err := t.chunk.CheckMasks(p, l); err != nil {
		return fmt.Errorf("%s: chunk %d: %w", t.content.Name, i, err)
	}
	t.w.BeginChunk()
	for place, block := range t.chunk.Decoded.Blocks {
		if !t.Blocks.Has(block) {
			continue
		}
		if err := t.copyBlock(p, place); err != nil {
			return err
		}
		t.Copied++
	}
	return nil
}

// copyBlock copies the thread block at the given place of the chunk, each visit
// with its guards and accesses.
func (t *Transcriber) copyBlock(p *content.Plan, place int) error {
	d := &t.chunk.Decoded
	t.w.BeginBlock(d.Blocks[place])
	for warp := range d.Warps {
		path := t.chunk.Warp(place*d.Warps + warp)
		guards, accesses := path.Guards, path.Accesses
		for v, id := range path.Blocks {
			b, mask := &p.Blocks[id], path.Masks[v]
			t.w.Visit(warp, id, mask)
			for _, g := range guards[:b.Guards] {
				t.w.Guard(warp, g)
			}
			for i, a := range b.Accesses {
				t.copyAccess(warp, accesses[i], a.Mask(mask, guards))
			}
			guards, accesses = guards[b.Guards:], accesses[len(b.Accesses):]
		}
	}
	return t.w.EndBlock()
}

func (t *Transcriber) copyAccess(warp int, a trace.Access, mask uint32) {
	if mask != 0 && !a.Strided() {
		t.chunk.Addresses(a, mask, &t.lanes)
		t.w.Access(warp, mask, &t.lanes)
		return
	}
	t.w.AccessStrided(warp, mask, a.Base, int64(a.Stride))
}
