package trace

import "fmt"

// cpuCursor goes through the instructions of all CPU threads.
type cpuCursor struct {
	r        *Reader
	chunk    *CPUChunk
	next     int // chunk to read
	at       int // instruction of the chunk
	address  int // its first address
	started  bool
	operands int
}

func newCPUCursor(r *Reader) *cpuCursor { return &cpuCursor{r: r, chunk: NewCPUChunk()} }

// step goes to the next instruction; false at the end.
func (c *cpuCursor) step() (bool, error) {
	if c.started {
		c.at++
		c.address += c.operands
	}
	if !c.started || c.at >= len(c.chunk.Steps) {
		if c.next == len(c.r.index.cpu) {
			return false, nil
		}
		if err := c.r.ReadCPUChunk(c.next, c.chunk); err != nil {
			return false, err
		}
		c.next++
		c.at, c.address, c.started = 0, 0, true
	}
	c.operands = c.instruction().operands()
	return true, nil
}

func (c *cpuCursor) instruction() *CPUInstruction { return &c.chunk.Table[c.chunk.Steps[c.at]] }

func (c *cpuCursor) addresses() []uint64 { return c.chunk.Addresses[c.address : c.address+c.operands] }

func (c *cpuCursor) number() uint64 { return c.chunk.First + uint64(c.at) }

func (c *cpuCursor) describe() string {
	in := c.instruction()
	return fmt.Sprintf("%x %s %x %x stores %s loads %s", in.IP, in.outcome(c.chunk.Taken[c.at]), in.Destinations, in.Sources,
		textSlots(in.StoreSlots, c.addresses()[:in.Stores()]), textSlots(in.LoadSlots, c.addresses()[in.Stores():]))
}

// diffCPU names the first instruction of the CPU threads that differs.
func diffCPU(a, b *Reader) (string, error) {
	if a.CPUThreads() != b.CPUThreads() {
		return fmt.Sprintf("%d CPU threads and %d", a.CPUThreads(), b.CPUThreads()), nil
	}
	ca, cb := newCPUCursor(a), newCPUCursor(b)
	for {
		moreA, err := ca.step()
		if err != nil {
			return "", err
		}
		moreB, err := cb.step()
		if err != nil {
			return "", err
		}
		switch {
		case !moreA && !moreB:
			return "", nil
		case !moreB || moreA && ca.chunk.Thread < cb.chunk.Thread:
			return fmt.Sprintf("the second has no CPU thread %d, instruction %d", ca.chunk.Thread, ca.number()), nil
		case !moreA || cb.chunk.Thread < ca.chunk.Thread:
			return fmt.Sprintf("the first has no CPU thread %d, instruction %d", cb.chunk.Thread, cb.number()), nil
		}
		if da, db := ca.describe, cb.describe; *ca.instruction() != *cb.instruction() || da() != db() {
			return fmt.Sprintf("CPU thread %d, instruction %d: %s and %s", ca.chunk.Thread, ca.number(), da(), db()), nil
		}
	}
}
