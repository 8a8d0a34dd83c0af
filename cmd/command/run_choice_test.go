// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/frontend/native/recorder"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Launches are recorded whose number lies in the range and whose kernel one of the patterns names. The header
// says what was asked for; without options all are recorded, and it says nothing.
func TestLaunchesThatAreRecorded(t *testing.T) {
	type launch struct {
		kernel string
		number int
	}
	all := []launch{{"add", 0}, {"add", 1}, {"scale", 2}, {"scale2", 3}, {"add", 4}}
	for _, c := range []struct {
		launches, kernels string
		want              []int
		notes             map[string]string
		refused           string
	}{
		{"", "", []int{0, 1, 2, 3, 4}, nil, ""},
		{"1-3", "", []int{1, 2, 3}, map[string]string{"recorded launches": "1-3"}, ""},
		{"2", "", []int{2}, map[string]string{"recorded launches": "2"}, ""},
		{"0-0", "", []int{0}, map[string]string{"recorded launches": "0-0"}, ""},
		{"", "scale*", []int{2, 3}, map[string]string{"recorded kernels": "scale*"}, ""},
		{"3-9", "add scale?", []int{3, 4}, map[string]string{"recorded launches": "3-9", "recorded kernels": "add scale?"}, ""},
		{"3-1", "", nil, nil, "--launches 3-1"}, {"-1", "", nil, nil, "--launches -1"}, {"a-2", "", nil, nil, "--launches a-2"}, {"1-b", "", nil, nil, "--launches 1-b"},
		{"", "[", nil, nil, "--kernel ["},
	} {
		set := flag.NewFlagSet("run", flag.ContinueOnError)
		set.String("launches", c.launches, "")
		set.Var(cli.NewStringSlice(strings.Fields(c.kernels)...), "kernel", "")
		records, notes, err := launchFilter(cli.NewContext(nil, set, nil))
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%q and %q: %v", c.launches, c.kernels, err)
			}
			continue
		}
		var got []int
		for _, l := range all {
			if records == nil || records(l.kernel, l.number) {
				got = append(got, l.number)
			}
		}
		if err != nil || !slices.Equal(got, c.want) || !maps.Equal(notes, c.notes) || (records == nil) != (c.notes == nil) {
			t.Errorf("%q and %q: launches %v, notes %v, %v", c.launches, c.kernels, got, notes, err)
		}
	}
}

// Sizes of the device's memory have a binary unit, and are 1 TiB at most.
func TestSizesOfTheDevicesMemory(t *testing.T) {
	for text, want := range map[string]uint64{"1KiB": 1 << 10, "512MiB": 512 << 20, "16GiB": 16 << 30, "1024GiB": 1 << 40, "1025GiB": 0, "1073741825KiB": 0, "0MiB": 0, "16": 0, "-1GiB": 0, "1.5GiB": 0, "16GB": 0, "": 0} {
		if got, err := memorySize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d bytes, %v; want %d", text, got, err, want)
		}
	}
}

// A recording that is shorter than its program says why: by what ended the program, or else by the error of
// the recording.
func TestHeadersSayWhyRecordingsEndEarly(t *testing.T) {
	for _, c := range []struct {
		ended  string
		failed error
		want   string
	}{
		{"", nil, ""}, {"a signal (killed)", nil, "a signal (killed)"}, {"", errors.New("it is full"), "it is full"},
		{"a signal (killed)", errors.New("the connection is gone"), "a signal (killed)"}, {"a \xff name", nil, "a ? name"},
	} {
		var b bytes.Buffer
		w, err := wtape.NewWriter(&b, "x", trace.Header{}, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		noteEnd(w, &recorder.Result{EndedBy: c.ended}, c.failed)
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		r, err := wtape.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.Header().Arguments[endNote]; got != c.want || ok != (c.want != "") {
			t.Errorf("%q and %v: the header says %q", c.ended, c.failed, got)
		}
	}
}
