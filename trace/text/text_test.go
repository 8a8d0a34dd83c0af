// SPDX-License-Identifier: Apache-2.0

package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// assembled makes a trace of a text and returns its bytes.
func assembled(text string) ([]byte, error) {
	var out bytes.Buffer
	err := Assemble(strings.NewReader(text), "text", func(h trace.Header) (*wtape.Writer, error) {
		return wtape.NewWriter(&out, "out", h, wtape.Options{Workers: 1, Level: wtape.LevelFast})
	})
	return out.Bytes(), err
}

func fullText(t testing.TB, data []byte) string {
	t.Helper()
	var out strings.Builder
	if err := Dump(testtraces.Open(t, data), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTextFormRoundTripsToTheSameDigest(t *testing.T) {
	traces := [][]byte{testtraces.Small(t, wtape.Options{})}
	for _, seed := range tracetest.Seeds(t, 12, 4) {
		traces = append(traces, testtraces.Random(100+seed).Encode(t, wtape.Options{}))
	}
	for i, data := range traces {
		text := fullText(t, data)
		again, err := assembled(text)
		if err != nil {
			t.Fatalf("trace %d: %v", i, err)
		}
		if got, want := testtraces.Open(t, again).Digest(), testtraces.Open(t, data).Digest(); got != want {
			t.Errorf("trace %d: digest %s, want %s", i, got, want)
		}
		if fullText(t, again) != text {
			t.Errorf("trace %d: the text changed", i)
		}
	}
}

func TestTextOfManyChunksRoundTrips(t *testing.T) {
	data := testtraces.Encode(t, testtraces.Workloads()[3], wtape.Options{Level: wtape.LevelFast})
	again, err := assembled(fullText(t, data))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := testtraces.Open(t, again).Digest(), testtraces.Open(t, data).Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

const handWritten = `wtape-text 1
# one warp of 8 threads, written by hand
header {"tool": "by hand"}
kernel {"name": "k"}
instruction {"opcode": "ld", "class": "OP_CLASS_LOAD", "space": "SPACE_GLOBAL", "laneBytes": 4, "guard": {"register": {"file": "REGISTER_FILE_PREDICATE"}}}
instruction {"opcode": "ret", "class": "OP_CLASS_EXIT"}
basic-block {"count": 2}
event {"kind": "EVENT_KIND_LAUNCH", "launch": {"grid": {"x": 1, "y": 1, "z": 1}, "block": {"x": 8, "y": 1, "z": 1}}}
thread-block 0
warp 0
v 0 000000ff
g 0000000f
a 0000000f 1000 4
`

// twoBlocks is a launch of two thread blocks.
const twoBlocks = `{"kind": "EVENT_KIND_LAUNCH", "launch": {"grid": {"x": 2, "y": 1, "z": 1}, "block": {"x": 8, "y": 1, "z": 1}}}`

func TestATraceCanBeWrittenByHand(t *testing.T) {
	data, err := assembled(handWritten)
	if err != nil {
		t.Fatal(err)
	}
	r := testtraces.Open(t, data)
	if err := verification.Verify(r); err != nil {
		t.Error(err)
	}
	// ld by 4 lanes, ret by 8
	if n := r.Totals(); n.WarpInstructions != 2 || n.ThreadInstructions != 12 || n.MemoryInstructions != 1 {
		t.Errorf("%+v", n)
	}
}

func TestWrongTextIsRefusedByLine(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"wtape-text 1", "wtape-text 2", `text:1: starts with "wtape-text 2"`},
		{"header {\"tool\": \"by hand\"}\n", "", `text:3: "kernel": the header must be the first`},
		{"kernel {\"name\": \"k\"}\n", "", "text:4: instruction without a kernel"},
		{`"count": 2`, `"count": 3`, "instructions 0 to 2 of 2"},
		{"thread-block 0", "thread-block 1", "text:9: thread block 1: not after"},
		{"warp 0", "warp 1", "text:10: warp \"1\""},
		{"v 0 000000ff", "v 1 000000ff", "text:11: visit of basic block \"1\""},
		{"v 0 000000ff", "v 0 000001ff", "text:11: visit of lanes 000001ff: the warp has 000000ff"},
		{"v 0 000000ff", "v 0 00000000", "text:11: visit of lanes 00000000"},
		{"v 0 000000ff\n", "", "text:11: g before the first visit"},
		{"g 0000000f", "g 00000f00", "text:12: guard mask 00000f00"},
		{"g 0000000f\n", "", "text:12: access out of place"},
		{"a 0000000f 1000 4", "a 000000ff 1000 4", "visit and guards imply 0000000f"},
		{"a 0000000f 1000 4", "a 0000000f 10x0 4", `base "10x0"`},
		{"a 0000000f 1000 4", "a 0000000f 1000", "want a MASK BASE STRIDE"},
		{"a 0000000f 1000 4", "l 0000000f 1000 1004", "2 addresses for lanes 0000000f"},
		{"a 0000000f 1000 4\n", "", "0 of 1 accesses"},
		{"a 0000000f 1000 4\n", "a 0000000f 1000 4\nsummary {\"totals\": {\"warps\": 7}}\n", "text:14: the summary's totals"},
		{"a 0000000f 1000 4\n", "a 0000000f 1000 4\nfrob\n", `text:14: unknown record "frob"`},
		{"thread-block 0", "event {\"kind\": \"EVENT_KIND_FREE\", \"after\": [9]}", "waits for event 9"},
		{"thread-block 0\nwarp 0\nv 0 000000ff\ng 0000000f\na 0000000f 1000 4\n", "", "some thread blocks are missing"},
		{`"x": 8`, `"x": 0`, "thread block of 0x1x1 threads"},
		{"a 0000000f 1000 4\n", "a 0000000f 1000 4\nthread-block 0\n", "text:14: thread block 0: not after 0"},
		{"a 0000000f 1000 4\n", "a 0000000f 1000 4\nwarp 0\n", "text:14: warp \"0\": want ascending numbers"},
		{"event {", "event " + twoBlocks + "\nthread-block 1\nevent {\"kind\": \"EVENT_KIND_LAUNCH\", \"launch\": {\"grid\": {\"x\": 1, \"y\": 1, \"z\": 1}, \"block\": {\"x\": 8, \"y\": 1, \"z\": 1}}}\nthread-block 1\nevent {", "thread block 1: not after 0 or not in the grid of 1"},
		{"event {", "event " + twoBlocks + "\nthread-block 1\nevent {", "some thread blocks are missing"},
	} {
		text := strings.Replace(handWritten, c.old, c.new, 1)
		if text == handWritten {
			t.Fatalf("%q is not in the text", c.old)
		}
		if _, err := assembled(text); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "BUG") {
			t.Errorf("%q for %q: got %v, want ...%s...", c.new, c.old, err, c.want)
		}
	}
}

func FuzzAssemble(f *testing.F) {
	f.Add(handWritten)
	f.Add(fullText(f, testtraces.Small(f, wtape.Options{})))
	f.Add(fullText(f, testtraces.Random(5).Encode(f, wtape.Options{})))
	f.Fuzz(func(t *testing.T, text string) {
		data, err := assembled(text)
		if err != nil {
			if strings.Contains(err.Error(), "BUG") {
				t.Errorf("bad input is called a bug: %v", err)
			}
			return
		}
		again, err := assembled(fullText(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprint(testtraces.Open(t, data).Digest()), testtraces.Open(t, again).Digest(); a != b {
			t.Errorf("digest %s became %s", a, b)
		}
	})
}
