// SPDX-License-Identifier: Apache-2.0

package messages_test

import (
	"testing"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/limits"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/wire"
)

func TestFramesOfTooManyEventsAreRefused(t *testing.T) {
	events := []byte{}
	for range limits.FrameEvents + 1 {
		events = wire.AppendColumn(events, 1, []byte{8, 1})
	}
	if err := messages.CheckSize(wtapepb.FrameKind_FRAME_KIND_TIMELINE, events); err == nil {
		t.Error("a frame of too many events passed")
	}
}
