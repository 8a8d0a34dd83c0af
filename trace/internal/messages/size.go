// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace/internal/limits"
	"github.com/warptape/warptape/trace/internal/wire"
)

// messageLimit bounds how often a message field occurs. An empty message takes two
// bytes in a file and a hundred or more in memory, so the sizes of frames alone do
// not bound what decoding them costs.
type messageLimit struct {
	path  []protowire.Number // of field numbers, from the outermost message
	limit int
}

// messageLimits are the repeated message fields by kind of frame.
var messageLimits = map[wtapepb.FrameKind][]messageLimit{
	wtapepb.FrameKind_FRAME_KIND_HEADER: {{[]protowire.Number{5}, limits.Names}, {[]protowire.Number{6}, limits.Names}},
	wtapepb.FrameKind_FRAME_KIND_KERNEL: {
		{[]protowire.Number{4}, limits.KernelInstructions},
		{[]protowire.Number{4, 6}, limits.KernelOperands},
		{[]protowire.Number{4, 6, 6}, limits.KernelOperands},
		{[]protowire.Number{4, 6, 6, 6}, 0},
		{[]protowire.Number{5}, limits.KernelBlocks},
		{[]protowire.Number{6}, limits.Names},
		{[]protowire.Number{15}, limits.Names},
		{[]protowire.Number{20}, limits.Names},
		{[]protowire.Number{16}, limits.KernelInstructions}, // each function has one at least
		{[]protowire.Number{17, 10}, limits.TeslaDependences},
	},
	wtapepb.FrameKind_FRAME_KIND_TIMELINE: {{[]protowire.Number{1}, limits.FrameEvents}},
	wtapepb.FrameKind_FRAME_KIND_SUMMARY:  {{[]protowire.Number{1, 5}, limits.Names}, {[]protowire.Number{1, 6}, limits.Names}},
}

// CheckSize applies the limits of the kind to an encoded message.
func CheckSize(kind wtapepb.FrameKind, raw []byte) error {
	for _, l := range messageLimits[kind] {
		n, err := countField(raw, l.path)
		if err != nil {
			return err
		}
		if n > l.limit {
			return fmt.Errorf("%d messages in field %v of %v, want at most %d", n, l.path, kind, l.limit)
		}
	}
	return nil
}

// countField counts the occurrences of the field at the end of the path.
func countField(raw []byte, path []protowire.Number) (n int, err error) {
	err = wire.EachField(raw, func(field protowire.Number, _ uint64, data []byte) error {
		if field != path[0] {
			return nil
		}
		if len(path) == 1 {
			n++
			return nil
		}
		inner, err := countField(data, path[1:])
		n += inner
		return err
	})
	return n, err
}
