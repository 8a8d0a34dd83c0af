// SPDX-License-Identifier: Apache-2.0

package content

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/container"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/limits"
	"github.com/warptape/warptape/trace/internal/messages"
)

// ReadMetadata reads a frame that is no chunk and adds what it holds.
func (c *Content) ReadMetadata(o container.FrameInfo, scratch *container.Buffer) error {
	h, err := c.File.ReadFrameHeader(o.Offset, o.Length, scratch)
	if err != nil {
		return err
	}
	if h.Kind != o.Kind {
		return fmt.Errorf("is of kind %d, the index says %d", h.Kind, o.Kind)
	}
	if h.Ancillary() || frames.CPUChunk(h.Kind) {
		return nil // read when it is asked for
	}
	if err := c.spend(h.Raw); err != nil {
		return err
	}
	_, raw, err := c.File.ReadFrame(o.Offset, o.Length, scratch)
	if err != nil {
		return err
	}
	if err := messages.CheckSize(h.Kind, raw); err != nil {
		return err
	}
	switch h.Kind {
	case wtapepb.FrameKind_FRAME_KIND_HEADER:
		m := new(wtapepb.Header) // the summary has the final one
		err := proto.Unmarshal(raw, m)
		c.Initial = messages.ToHeader(m)
		return err
	case wtapepb.FrameKind_FRAME_KIND_KERNEL:
		return c.AddKernel(raw)
	case wtapepb.FrameKind_FRAME_KIND_TIMELINE:
		return c.addEvents(raw)
	case wtapepb.FrameKind_FRAME_KIND_SUMMARY:
		return c.setSummary(raw)
	}
	return fmt.Errorf("unknown kind %d: the trace is of a later version, use a newer Warptape", h.Kind)
}

// spend counts bytes of metadata and refuses more than the format allows.
func (c *Content) spend(bytes uint32) error {
	if c.metadataBytes += int64(bytes); c.metadataBytes > limits.MetadataBytes {
		return fmt.Errorf("more than %d bytes of kernels and events", limits.MetadataBytes)
	}
	return nil
}

// ReadTimeline reads the message of a frame with events and adds nothing.
func (c *Content) ReadTimeline(o container.FrameInfo, scratch *container.Buffer) (*wtapepb.Timeline, error) {
	h, raw, err := c.File.ReadFrame(o.Offset, o.Length, scratch)
	if err != nil {
		return nil, err
	}
	if err := c.spend(h.Raw); err != nil {
		return nil, err
	}
	if err := messages.CheckSize(o.Kind, raw); err != nil {
		return nil, err
	}
	m := new(wtapepb.Timeline)
	return m, proto.Unmarshal(raw, m)
}

// AddKernel adds the kernel of a message.
func (c *Content) AddKernel(raw []byte) error {
	m := new(wtapepb.Kernel)
	if err := proto.Unmarshal(raw, m); err != nil {
		return err
	}
	k := messages.ToKernel(m)
	if err := k.Validate(); err != nil {
		return err
	}
	c.Kernels = append(c.Kernels, *k)
	c.Plans = append(c.Plans, NewPlan(k))
	return nil
}

func (c *Content) addEvents(raw []byte) error {
	m := new(wtapepb.Timeline)
	if err := proto.Unmarshal(raw, m); err != nil {
		return err
	}
	for _, e := range m.Events {
		event, err := messages.ToEvent(e, len(c.Timeline), len(c.Launches))
		if err != nil {
			return err
		}
		if event.Kind == trace.EventLaunch {
			l := messages.ToLaunch(e.Launch)
			if err := l.Validate(len(c.Kernels)); err != nil {
				return fmt.Errorf("launch %d: %w", len(c.Launches), err)
			}
			c.Launches = append(c.Launches, l)
		}
		c.Timeline = append(c.Timeline, event)
	}
	return nil
}

func (c *Content) setSummary(raw []byte) error {
	if c.Summarised {
		return errors.New("a second summary")
	}
	m := new(wtapepb.Summary)
	if err := proto.Unmarshal(raw, m); err != nil {
		return err
	}
	sampling, err := messages.ToSampling(m.Sampling)
	if err != nil {
		return err
	}
	c.Header, c.Totals, c.Sampling, c.Summarised = messages.ToHeader(m.Header), messages.ToTotals(m.Totals), sampling, true
	return nil
}

// CheckSampling checks the description of the sample, once all of it is read.
func (c *Content) CheckSampling() error {
	if c.Sampling == nil {
		return nil
	}
	if c.Header.Sampling == "" {
		return errors.New("sampling: described, but the header says that all is stored")
	}
	if err := c.Sampling.Validate(c.Launches, c.StoredBlocks, &c.Totals); err != nil {
		return fmt.Errorf("sampling: %w; the trace is damaged, record it again", err)
	}
	return nil
}
