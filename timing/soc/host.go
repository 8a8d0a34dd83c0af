// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/trace"
)

// host executes steps of the host timeline.
type host struct {
	chip    *system
	waiting ring.Ring[hostStep] // for a core
	running []hostStep          // per core; those without stream are none
	ended   ring.Ring[int32]
}

// hostStep is a step of the timeline as a core executes it.
type hostStep struct {
	step   int32
	copies bool
	stream cpu.Stream
}

func newHost(c *system) host {
	return host{chip: c, waiting: ring.New[hostStep](1), running: make([]hostStep, c.cpu.Cores), ended: ring.New[int32](1)}
}

// copies reports whether a core executes a copy.
func (h *host) copies(core int) bool { return h.running[core].copies }

// maxCopyBytes bounds a copy, and so the pages that one makes.
const maxCopyBytes = 16 << 30

// CheckTimeline implements seam.HostSteps.
func (c *system) CheckTimeline(events []trace.HostEvent) error {
	known := false
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case trace.EventAllocate:
			known = true
		case trace.EventCopyToDevice, trace.EventCopyToHost:
			if e.Bytes > maxCopyBytes {
				return fmt.Errorf("the copy in event %d of the host timeline has %d bytes: a chip copies %d at most; the trace is damaged", i, e.Bytes, uint64(maxCopyBytes))
			}
			if e.HostAddress == 0 {
				return fmt.Errorf("the copy in event %d of the host timeline has no host address: %s needs a trace that warptape record has made, with the host's side", i, Key)
			}
			known = true
		}
	}
	if !known {
		return fmt.Errorf("the trace has no host timeline (no buffers and no copies): %s needs one; record the program with warptape record, and give CPU threads with --cpu in addition", Key)
	}
	c.layout = newLayout(c.cpu.PageBytes)
	return c.layout.placeBuffers(events)
}

// StartStep implements seam.HostSteps. A computation is executed when the recording
// says what it accesses; of one that has only a number of operations the time is that
// of the machine's rate.
func (c *system) StartStep(now clock.Cycle, step int, e *trace.HostEvent) bool {
	s := hostStep{step: int32(step)}
	switch {
	case e.Kind == trace.EventCopyToDevice || e.Kind == trace.EventCopyToHost:
		_, device := c.layout.place(e.Address)
		_, own := c.layout.place(e.HostAddress)
		if c.section.Copies == "elided" && c.elide(c.core.Start(now), device, own, e) {
			c.count(countCopyElided)
			c.counts[counts+countCopyElidedBytes] += e.Bytes
			c.host.ended.Push(int32(step))
			return true
		}
		c.count(countCopyExecuted)
		to, from := device, own
		if e.Kind == trace.EventCopyToHost {
			to, from = own, device
		}
		s.copies, s.stream = true, cpu.NewCopy(to, from, e.Bytes, c.cpu.CopyBytes)
	case e.Kind == trace.EventCompute && len(e.Accesses) > 0:
		c.count(countCompute)
		s.stream = cpu.NewCompute(e.Operations, e.Accesses, func(host uint64) uint64 {
			_, virtual := c.layout.place(host)
			return virtual
		})
	default:
		return false
	}
	c.host.waiting.Push(s)
	c.host.start(c.core.Start(now))
	return true
}

// start gives waiting steps to idle cores.
func (h *host) start(now clock.Time) {
	c := h.chip
	for core := range h.running {
		if h.waiting.Len() == 0 {
			return
		}
		if h.running[core].stream != nil || !c.cores.Idle(core) {
			continue
		}
		x := h.waiting.Pop()
		h.running[core] = x
		c.cores.Run(now, core, cpu.Job{Token: uint32(x.step), Space: cpu.Space(spaceProcess), Stream: x.stream})
	}
}

// Done implements cpu.Chip.
func (c *system) Done(now clock.Time, core int, job cpu.Job) {
	h := &c.host
	if core < len(c.programs) {
		c.programEnded(now, core)
		return
	}
	if h.running[core].stream == nil || uint32(h.running[core].step) != job.Token {
		return
	}
	h.ended.Push(h.running[core].step)
	h.running[core] = hostStep{}
	c.wake(now)
}

// EndedStep implements seam.HostSteps.
func (c *system) EndedStep() (step int, ok bool) {
	if c.host.waiting.Len() > 0 {
		c.host.start(c.now)
	}
	if c.host.ended.Len() == 0 {
		return 0, false
	}
	return int(c.host.ended.Pop()), true
}

// elide lets the device's pages lie in the frames of the host's for a copy to the
// device, the host's in the device's for one back (section 4.4.6). False when the
// two do not lie alike in their pages.
func (c *system) elide(now clock.Time, device, own uint64, e *trace.HostEvent) bool {
	size := c.pages.PageBytes()
	if device%size != own%size {
		return false
	}
	to, from := device, own
	if e.Kind == trace.EventCopyToHost {
		to, from = own, device
	}
	first, last := c.pages.Page(to), c.pages.Page(to+max(e.Bytes, 1)-1)
	for k := range last - first + 1 {
		page := first + k
		frame := c.pages.Frame(spaceProcess, c.pages.Page(from)+k)
		if old, ok := c.pages.Mapped(spaceProcess, page); ok && old == frame {
			continue
		}
		c.pages.Map(spaceProcess, page, frame)
		c.drop(now, spaceProcess, page)
	}
	return true
}

// copyOnWrite gives a page that an SM writes a frame of its own when another page
// lies in its frame.
func (c *system) copyOnWrite(now clock.Time, space uint16, page, frame uint64) uint64 {
	if !c.pages.Shared(frame) {
		return frame
	}
	own := c.pages.Own(space, page)
	c.drop(now, space, page)
	c.count(countPageCopy)
	return own
}
