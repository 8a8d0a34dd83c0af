// SPDX-License-Identifier: Apache-2.0

package text

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/limits"
	"github.com/warptape/warptape/trace/internal/messages"
)

// parseRecord reads a message and applies the limits of its kind of frame.
func parseRecord(kind wtapepb.FrameKind, text string, m proto.Message) error {
	if err := protojson.Unmarshal([]byte(text), m); err != nil {
		return err
	}
	raw, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return messages.CheckSize(kind, raw)
}

func (a *assembler) kernelPart(keyword, rest string) error {
	k := a.kernel
	switch {
	case k == nil:
		return fmt.Errorf("%s without a kernel before it", keyword)
	case len(k.Instructions) > limits.KernelInstructions || len(k.Blocks) > limits.KernelBlocks:
		return fmt.Errorf("kernel %q: more than %d instructions or %d basic blocks", k.Name, limits.KernelInstructions, limits.KernelBlocks)
	case keyword == "instruction":
		m := new(wtapepb.Instruction)
		k.Instructions = append(k.Instructions, m)
		return protojson.Unmarshal([]byte(rest), m)
	}
	m := new(wtapepb.BasicBlock)
	k.Blocks = append(k.Blocks, m)
	return protojson.Unmarshal([]byte(rest), m)
}

func (a *assembler) event(rest string) error {
	m := new(wtapepb.HostEvent)
	if err := protojson.Unmarshal([]byte(rest), m); err != nil {
		return err
	}
	e, err := messages.ToEvent(m, a.events, a.launches)
	if err != nil {
		return err
	}
	if e.Kind != trace.EventLaunch {
		_, err = a.w.AddEvent(e)
	} else {
		err = a.beginLaunch(messages.ToLaunch(m.Launch), e.After)
	}
	a.events++
	return err
}

func (a *assembler) beginLaunch(l trace.Launch, after []int) error {
	a.launches++
	a.launch, a.block, a.anyBlock, a.stored = &l, 0, false, 0
	_, err := a.w.BeginLaunch(l, after...)
	return err
}
