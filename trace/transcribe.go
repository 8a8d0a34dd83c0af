package trace

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
)

// sink takes what a transcription copies: a Writer, or the text form.
type sink interface {
	AddKernel(*Kernel) (int, error)
	AddEvent(HostEvent) (int, error)
	BeginLaunch(l Launch, after ...int) (int, error)
	beginChunk()
	BeginBlock(block uint64)
	Visit(warp int, block, mask uint32)
	Guard(warp int, mask uint32)
	Access(warp int, mask uint32, addresses *[WarpSize]uint64)
	AccessStrided(warp int, mask uint32, base uint64, stride int64)
	EndBlock() error
	EndLaunch() error
	beginCPU() error
	copyCPU(*CPUChunk) error
}

// transcription copies a trace, or a part of it, into a writer. What it copies
// whole comes out with the digest that it had: kernels go between the chunks where
// they were.
type transcription struct {
	r *Reader
	w sink
	// launches and blocks choose what is copied.
	launches, blocks Range

	kernels []int          // per kernel of r: its number in w, -1 before it is added
	events  [][]int        // per event of r: the events of w that stand for it
	chunks  int            // of r, passed so far
	copied  int            // thread blocks
	added   int            // events of w
	shared  map[string]int // kernel numbers in w by kernelKey, nil to keep equal kernels apart

	chunk  *Chunk
	lanes  [WarpSize]uint64
	before []int // per kernel of r: chunks that precede it in the file
}

// Range is an interval of numbers with both ends.
type Range struct{ First, Last uint64 }

// Everything is the range of all numbers.
var Everything = Range{0, math.MaxUint64}

// Has reports whether a number is in the range.
func (r Range) Has(n uint64) bool { return r.First <= n && n <= r.Last }

func newTranscription(r *Reader, w sink) *transcription {
	t := &transcription{r: r, w: w, launches: Everything, blocks: Everything, chunk: NewChunk()}
	for range r.kernels {
		t.kernels = append(t.kernels, -1)
	}
	for _, o := range r.index.others {
		if o.kind == wtapepb.FrameKind_FRAME_KIND_KERNEL {
			chunks := r.index.chunks
			t.before = append(t.before, sort.Search(len(chunks), func(i int) bool { return chunks[i].Offset > o.offset }))
		}
	}
	return t
}

// run copies timeline, kernels and thread blocks; it does not finish the writer.
func (t *transcription) run() error {
	for i := range t.r.timeline {
		if err := t.addKernels(); err != nil {
			return err
		}
		e := &t.r.timeline[i]
		after := t.standIns(e.After)
		if e.Kind == EventLaunch && (!t.launches.Has(uint64(e.Launch)) || t.r.lostLaunch(e.Launch)) {
			_, t.chunks = t.r.LaunchChunks(e.Launch)
			t.events = append(t.events, after) // who waited for it waits for what it waited for
			continue
		}
		t.events = append(t.events, []int{t.added})
		t.added++
		if err := t.event(*e, after); err != nil {
			return err
		}
	}
	t.chunks = len(t.r.index.chunks)
	return t.addKernels()
}

// standIns are the events of the writer that stand for events of the reader.
func (t *transcription) standIns(events []int) (in []int) {
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
func (t *transcription) addKernels() error {
	for i := range t.kernels {
		if t.kernels[i] >= 0 || t.before[i] > t.chunks || t.r.plans[i] == nil {
			continue
		}
		n, err := t.addKernel(&t.r.kernels[i])
		if err != nil {
			return err
		}
		t.kernels[i] = n
	}
	return nil
}

// addKernel adds a kernel, once for equal ones where the transcription shares them.
func (t *transcription) addKernel(k *Kernel) (int, error) {
	if t.shared == nil {
		return t.w.AddKernel(k)
	}
	key, err := kernelKey(k)
	if err != nil {
		return 0, err
	}
	if n, ok := t.shared[key]; ok {
		return n, nil
	}
	n, err := t.w.AddKernel(k)
	t.shared[key] = n
	return n, err
}

// kernelKey is equal for equal kernels only.
func kernelKey(k *Kernel) (string, error) {
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(kernelToProto(k))
	return string(raw), err
}

func (t *transcription) event(e HostEvent, after []int) error {
	if e.Kind != EventLaunch {
		e.After = after
		_, err := t.w.AddEvent(e)
		return err
	}
	l := t.r.launches[e.Launch]
	if l.Kernel = t.kernels[l.Kernel]; l.Kernel < 0 {
		return fmt.Errorf("%s: launch %d precedes its kernel", t.r.name, e.Launch)
	}
	if _, err := t.w.BeginLaunch(l, after...); err != nil {
		return err
	}
	for first, end := t.r.LaunchChunks(e.Launch); first < end; first++ {
		if err := t.copyChunk(first); err != nil {
			return err
		}
	}
	_, t.chunks = t.r.LaunchChunks(e.Launch)
	return t.w.EndLaunch()
}

// checkChunkMasks checks what a writer takes for granted and a chunk may violate.
func checkChunkMasks(c *Chunk, p *plan, l *Launch) error {
	last := behaviour{path: -1}
	for w := range c.warpPath {
		path, masks, guards := int(c.warpPath[w]), int(c.warpMasks[w]), int(c.warpGuards[w])
		lanes := l.fullMask(w % c.warps)
		if last.is(path, masks, guards, lanes) {
			continue
		}
		warp := c.warpAt(w)
		if err := checkMasks(p, &warpRecord{blocks: warp.Blocks, masks: warp.Masks, guards: warp.Guards}, lanes); err != nil {
			return fmt.Errorf("thread block %d, warp %d: %s", c.blocks[w/c.warps], w%c.warps, strings.TrimPrefix(err.Error(), "BUG: "))
		}
		last.path, last.masks, last.guards, last.lanes = path, masks, guards, lanes
	}
	return nil
}

// copyChunk copies the chosen thread blocks of a chunk.
func (t *transcription) copyChunk(i int) error {
	info := &t.r.index.chunks[i]
	if info.LastBlock < t.blocks.First || info.FirstBlock > t.blocks.Last {
		return nil
	}
	if err := t.r.ReadChunk(i, t.chunk); err != nil {
		return err
	}
	l := &t.r.launches[info.Launch]
	p := t.r.plans[l.Kernel]
	if err := checkChunkMasks(t.chunk, p, l); err != nil {
		return fmt.Errorf("%s: chunk %d: %w", t.r.name, i, err)
	}
	t.w.beginChunk()
	for place, block := range t.chunk.blocks {
		if !t.blocks.Has(block) {
			continue
		}
		if err := t.copyBlock(p, place); err != nil {
			return err
		}
		t.copied++
	}
	return nil
}

// copyBlock copies the thread block at the given place of the chunk, each visit
// with its guards and accesses.
func (t *transcription) copyBlock(p *plan, place int) error {
	c := t.chunk
	t.w.BeginBlock(c.blocks[place])
	for warp := range c.warps {
		path := c.warpAt(place*c.warps + warp)
		guards, accesses := path.Guards, path.Accesses
		for v, id := range path.Blocks {
			b, mask := &p.blocks[id], path.Masks[v]
			t.w.Visit(warp, id, mask)
			for _, g := range guards[:b.guards] {
				t.w.Guard(warp, g)
			}
			for i, a := range b.accesses {
				t.copyAccess(warp, accesses[i], a.mask(mask, guards))
			}
			guards, accesses = guards[b.guards:], accesses[len(b.accesses):]
		}
	}
	return t.w.EndBlock()
}

// mask is the mask of the access in a visit with the given mask and guards.
func (a accessPlan) mask(visit uint32, guards []uint32) uint32 {
	if a.guard >= 0 {
		visit = guards[a.guard]
	}
	if a.bulk && visit != 0 {
		return ^uint32(0)
	}
	return visit
}

func (t *transcription) copyAccess(warp int, a Access, mask uint32) {
	if mask != 0 && !a.Strided() {
		t.chunk.Addresses(a, mask, &t.lanes)
		t.w.Access(warp, mask, &t.lanes)
		return
	}
	t.w.AccessStrided(warp, mask, a.Base, int64(a.Stride))
}
