package gpu

import (
	"context"

	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// hostCopies tells the memory system, if it wants to know, of the copies to the
// device that the host makes before each launch.
type hostCopies struct {
	to     seam.Preloader // nil: nobody wants to know
	events []trace.HostEvent
	next   int
}

func newHostCopies(m seam.MemorySystem, timeline []trace.HostEvent) hostCopies {
	to, _ := m.(seam.Preloader)
	return hostCopies{to: to, events: timeline}
}

// before makes the copies up to launch i; the error is that of ctx.
func (h *hostCopies) before(ctx context.Context, i int) error {
	if h.to == nil {
		return nil
	}
	for ; h.next < len(h.events); h.next++ {
		switch e := &h.events[h.next]; e.Kind {
		case trace.EventCopyToDevice:
			if err := ctx.Err(); err != nil {
				return err
			}
			h.to.Preload(e.Address, e.Bytes)
		case trace.EventLaunch:
			if e.Launch >= i {
				return nil
			}
		}
	}
	return nil
}
