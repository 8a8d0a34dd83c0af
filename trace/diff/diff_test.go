// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/text"
	"github.com/warptape/warptape/trace/wtape"
)

func openSmall(t *testing.T) *wtape.Reader {
	t.Helper()
	r, err := wtape.Open("../testdata/small.wtape")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// assembled is a trace of a text.
func assembled(s string) (*wtape.Reader, error) {
	var out bytes.Buffer
	err := text.Assemble(strings.NewReader(s), "text", func(h trace.Header) (*wtape.Writer, error) {
		return wtape.NewWriter(&out, "out", h, wtape.Options{Workers: 1, Level: wtape.LevelFast})
	})
	if err != nil {
		return nil, err
	}
	return wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
}

func fullText(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	if err := text.Dump(openSmall(t), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestDiffNamesTheFirstDifference(t *testing.T) {
	text := fullText(t)
	a := openSmall(t)
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"thread-block 2\nwarp 0\nv 0 ffffffff\ng 55555555", "thread-block 2\nwarp 0\nv 0 ffffffff\ng 55555554",
			"launch 1 (guarded), thread block 2, warp 0, visit 0 (basic block 0), guard 0: lanes 55555555 and 55555554"},
		{"a 000000ff 2120 4", "a 000000ff 2124 4", "launch 1 (guarded), thread block 1, warp 1, visit 0 (basic block 0), ld line 3: base 0x2120 stride 4 and base 0x2124 stride 4"},
		{"v 1 000000ff", "v 1 000000fe", "visit 2 (basic block 1): lanes 000000ff and 000000fe"},
		{`"guarded"`, `"unguarded"`, "kernel 1 is guarded and unguarded"},
		{`"virtual":"%rd1"`, `"virtual":"%rd2"`, "kernel 1 (guarded): instruction 0: add line 1"},
		{`"bytes":"160"`, `"bytes":"161"`, "host event 0: "},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		for _, follow := range [][2]string{ // accesses have the lanes of their guard or visit
			{"g 55555554\nl 55555555 1080 ", "g 55555554\nl 55555554 "},
			{"v 1 000000fe\na 000000ff", "v 1 000000fe\na 000000fe"},
		} {
			changed = strings.Replace(changed, follow[0], follow[1], 1)
		}
		changed = changed[:strings.Index(changed, "summary ")]
		b, err := assembled(changed)
		if err != nil {
			t.Fatalf("%s: %v", c.new, err)
		}
		got, err := Traces(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want ...%s...", c.new, got, c.want)
		}
	}
}

func TestDiffSeesThatOneTraceEndsEarly(t *testing.T) {
	text := fullText(t)
	last := strings.LastIndex(text, "thread-block 2") // of the last launch
	rest := last + strings.Index(text[last:], "event ")
	text = text[:last] + text[rest:strings.Index(text, "summary ")]
	part, err := assembled(strings.Replace(text, `header {`, `header {"sampling":"x",`, 1))
	if err != nil {
		t.Fatal(err)
	}
	whole := openSmall(t)
	if d, err := Traces(whole, part); err != nil || d != "the second ends before launch 2, thread block 2" {
		t.Errorf("got %q, %v", d, err)
	}
	if d, err := Traces(part, whole); err != nil || d != "the first ends before launch 2, thread block 2" {
		t.Errorf("got %q, %v", d, err)
	}
}

// Two recordings with the same thread blocks may have been cut off for different reasons.
func TestDiffNamesOtherReasonsOfAnEnd(t *testing.T) {
	const first, second = "cut off: address 0x10 is in no buffer", "cut off: the context was lost"
	text := fullText(t)
	cut := func(reason string) *wtape.Reader {
		at := strings.LastIndex(text, "summary ")
		r, err := assembled(text[:at] + strings.Replace(text[at:], `"tool":"test"`, `"tool":"test","sampling":"`+reason+`"`, 1))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct {
		a, b *wtape.Reader
		want string
	}{
		{cut(first), cut(second), `the same is recorded; of what is missing the first header says "` + first + `", the second "` + second + `"`},
		{openSmall(t), cut(second), `the same is recorded; of what is missing the first header says that nothing is missing, the second "` + second + `"`},
		{cut(first), cut(first), ""},
	} {
		if got, err := Traces(c.a, c.b); got != c.want || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, c.want)
		}
	}
}
