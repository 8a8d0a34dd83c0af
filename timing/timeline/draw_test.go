// SPDX-License-Identifier: Apache-2.0

package timeline_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/timeline"
)

func TestPictureShowsTheTracksOfTheChosenStretch(t *testing.T) {
	_, files := recorded(t, timeline.Options{SM: func(sm int) bool { return sm < 2 }}, []string{"gtx480"}, gputest.Launch{Kernel: mixed(), Blocks: 40, Threads: 96})
	draw := func(from, to uint64, p timeline.Picture) (string, error) {
		d, err := timeline.Read(bytes.NewReader(files[0]), from, to)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		p.From, p.To = from, to
		err = d.Draw(&b, p)
		return b.String(), err
	}
	all, err := draw(0, 0, timeline.Picture{})
	if err != nil {
		t.Fatal(err)
	}
	for x := xml.NewDecoder(strings.NewReader(all)); ; {
		if _, err := x.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the picture is not well-formed: %v", err)
		}
	}
	for _, want := range []string{"SM 1", "warp slot 3", "scheduler 1, issue slot 0", "thread block ", "requests", "kernels, stream 0", "DRAM channel 0 requests", ">memory<"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing", want)
		}
	}
	some, err := draw(100, 140, timeline.Picture{Groups: []string{"SM 0"}, Tracks: 2})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(some, "SM 1") || strings.Contains(some, "warp slot 2") || !strings.Contains(some, "warp slot 1") || !strings.Contains(some, ">140<") {
		t.Error("the stretch has other tracks or times than asked for")
	}
	if _, err := draw(1<<40, 1<<41, timeline.Picture{}); err == nil || !strings.Contains(err.Error(), "the timeline ends at") {
		t.Errorf("a stretch behind the end: %v", err)
	}
}

func TestReadRefusesWhatIsNoTimeline(t *testing.T) {
	_, files := recorded(t, timeline.Options{}, []string{"gtx480"}, gputest.Launch{Kernel: mixed(), Blocks: 1, Threads: 32})
	whole := files[0]
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text":          {[]byte("{\"traceEvents\": []}"), "packet 0: is not one of a Perfetto trace"},
		"cut":           {whole[:len(whole)-3], "the file ends in it"},
		"huge packet":   {[]byte{0x0a, 0xff, 0xff, 0xff, 0x7f}, "more than"},
		"endless size":  {[]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "no sensible length"},
		"unknown track": {[]byte{0x0a, 0x04, 0x5a, 0x02, 0x58, 0x63}, "track 99"},
	} {
		if _, err := timeline.Read(bytes.NewReader(c.data), 0, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzReadAndDraw: whatever Read takes can be drawn, or is refused.
func FuzzReadAndDraw(f *testing.F) {
	_, files := recorded(f, timeline.Options{LimitBytes: 2000}, []string{"gtx480"}, gputest.Launch{Kernel: mixed(), Blocks: 1, Threads: 32})
	f.Add(files[0], uint64(0), uint64(0))
	f.Add(files[0], uint64(10), uint64(90))
	f.Add([]byte{0x0a, 0x04, 0x5a, 0x02, 0x58, 0x63}, uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, from, to uint64) {
		d, err := timeline.Read(bytes.NewReader(data), from, to)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := d.Draw(&b, timeline.Picture{From: from, To: to}); err == nil && !bytes.HasSuffix(b.Bytes(), []byte("</svg>\n")) {
			t.Error("half a picture")
		}
	})
}
