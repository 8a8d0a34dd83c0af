package trace

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/warptape/warptape/proto/wtapepb"
)

// A trace that was written yesterday must read today. If this digest changes, the
// format changed: see "Versions" in docs/trace-format.md before touching it.
func TestContentOfAKnownTraceIsStable(t *testing.T) {
	const want = "130a7c096bca2822f402b86bda1cc6bbb2dc1cede83127dfbbeab9f3bd7d54a9"
	if got := openBytes(t, smallTrace(t, Options{})).Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestEnumsMatchTheSchema(t *testing.T) {
	for name, sizes := range map[string][2]int{
		"classes":       {ClassCount, len(wtapepb.OpClass_name)},
		"spaces":        {SpaceCount, len(wtapepb.Space_name)},
		"operand kinds": {int(operandEnd), len(wtapepb.OperandKind_name)},
		"event kinds":   {int(eventEnd), len(wtapepb.EventKind_name)},
	} {
		if sizes[0] != sizes[1] {
			t.Errorf("%d %s, the schema has %d", sizes[0], name, sizes[1])
		}
	}
	simplify := strings.NewReplacer("OP_CLASS_", "", "_", "", "-", "")
	for c := range OpClass(ClassCount) {
		want := strings.ToLower(simplify.Replace(wtapepb.OpClass(c).String()))
		if got := strings.ReplaceAll(c.String(), "-", ""); got != want {
			t.Errorf("class %d is %s, in the schema %s", c, got, want)
		}
	}
}

// hostileChunk builds a chunk message whose columns promise far more than they hold.
func hostileChunk(lengths, blocks uint64, warps int) []byte {
	run := func(n uint64) []byte { return protowire.AppendVarint([]byte{0}, n) }
	refs := append([]byte{0}, make([]byte, warps-1)...)
	for i := range refs[1:] {
		refs[1+i] = 1
	}
	raw := appendNumber(nil, fieldBlocks, blocks)
	for _, field := range []protowire.Number{fieldWarpPath, fieldWarpMasks, fieldWarpGuards} {
		raw = appendColumn(raw, field, refs)
	}
	table := appendColumn(nil, fieldSequenceLength, protowire.AppendVarint(nil, lengths))
	table = appendColumn(table, fieldSequenceCode, run(lengths-1))
	for _, field := range []protowire.Number{fieldPaths, fieldMasks, fieldGuards} {
		raw = appendColumn(raw, field, table)
	}
	stream := appendNumber(nil, fieldInstruction, 1)
	return appendColumn(raw, fieldAccesses, appendColumn(stream, fieldKind, run(1<<60)))
}

func TestPromisesBeyondTheLimitsAreRefused(t *testing.T) {
	kernel := layOut("load", laidBlock{"aLx", []uint32{0}})
	launches := []Launch{{Grid: Dim3{1 << 30, 1, 1}, Block: Dim3{32, 1, 1}}}
	for want, raw := range map[string][]byte{
		"sequences of more than":                  hostileChunk(1<<62, 1, 1),
		"paths: sequences of more than":           hostileChunk(maxChunkVisits+1, 1, 1),
		"warps: more than 33554432 visits":        hostileChunk(1<<20, 64, 64),
		"thread blocks: 4294967296 of them":       hostileChunk(1, 1<<32, 1),
		"thread blocks: column ends early":        hostileChunk(1, 100, 99),
		"addresses: instruction 1: column has el": hostileChunk(4, 2, 2),
	} {
		c := NewChunk()
		c.raw = raw
		err := c.decode(launches, []*plan{newPlan(kernel)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	events := []byte{}
	for range maxFrameEvents + 1 {
		events = appendColumn(events, 1, []byte{8, 1})
	}
	if err := checkMessageSize(wtapepb.FrameKind_FRAME_KIND_TIMELINE, events); err == nil {
		t.Error("a frame of too many events passed")
	}
}
