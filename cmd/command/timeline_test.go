// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestTimelineIsDrawnAsAPicture(t *testing.T) {
	trace := recordedTiny(t, "sgemm")
	folder := t.TempDir()
	path, picture := filepath.Join(folder, "t.pftrace.gz"), filepath.Join(folder, "t.svg")
	good(t, "replay", trace, "--arch", "gtx480", "--timeline", path, "--timeline-sm", "0-1", "-q")
	good(t, "timeline", "render", path, picture, "--group", "SM 0")
	text, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"warp slot 0", "thread block 0", "<svg "} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in the picture", want)
		}
	}
	bad(t, commandline.ExitFailed, "exists already", "timeline", "render", path, picture)
	bad(t, commandline.ExitFailed, "is not one of a Perfetto trace", "timeline", "render", trace, filepath.Join(folder, "u.svg"))
}

func TestTimelineSaysWhenItEndsEarly(t *testing.T) {
	trace := recordedTiny(t, "hotspot")
	folder := t.TempDir()
	o := warptape(t, "replay", trace, "--arch", "gtx480", "--arch", "gtx480+lrr", "--timeline", filepath.Join(folder, "t.pftrace"), "--timeline-sm", "all", "--timeline-limit", "1", "-q")
	if o.code != commandline.ExitOK || !strings.Contains(o.stderr, "t.gtx480.pftrace: ends at cycle ") || !strings.Contains(o.stderr, "--timeline-sample") {
		t.Errorf("exit code %d, the log says %q", o.code, o.stderr)
	}
	for _, name := range []string{"t.gtx480.pftrace", "t.gtx480+lrr.pftrace"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() > 2<<20 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

func TestTimelineFlagsAreChecked(t *testing.T) {
	bad(t, commandline.ExitUsage, "needs a file", "replay", "x.wtape", "--arch", "gtx480", "--timeline-sm", "1")
	trace := recordedTiny(t, "saxpy")
	folder := t.TempDir()
	path := filepath.Join(folder, "t.pftrace")
	bad(t, commandline.ExitUsage, "name it .pftrace", "replay", trace, "--arch", "gtx480", "--timeline", "t.json")
	for _, flag := range [][]string{{"--timeline-sm", "3-1"}, {"--timeline-launch", "x"}, {"--timeline-sample", "0"}, {"--timeline-limit", "0"}} {
		bad(t, commandline.ExitUsage, flag[0], "replay", trace, "--arch", "gtx480", "--timeline", path, flag[0], flag[1])
	}
	bad(t, commandline.ExitUsage, "stretch of cycles", "timeline", "render", path, "t.svg", "--from", "5", "--to", "5")
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

func TestLinesTableHasEnergy(t *testing.T) {
	trace := recordedTiny(t, "sgemm")
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	out := good(t, "replay", trace, "--arch", "gtx480", "--energy", "--lines", "3", "--pprof", path, "-q")
	for _, want := range []string{"the PTX lines that take most issue slots", "energy [nJ]", "unattributed: sm/front end/fetch", "bottleneck: "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing", want)
		}
	}
	bad(t, commandline.ExitUsage, "--lines -1", "replay", trace, "--arch", "gtx480", "--lines", "-1")
}
