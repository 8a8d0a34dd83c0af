// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

// otherSizes are those that launch what no tiny size does, with an edit of the
// workload's PTX that keeps the kernel running but makes it compute something else.
var otherSizes = []struct {
	workload, size string
	set            map[string]string
	edit           [2]string
}{
	{"bfs", "buddy", nil, [2]string{"add.s32 \t%r3, %r7, 1;", "add.s32 \t%r3, %r7, 2;"}},
	{"reduction", "buddy", map[string]string{"repeats": "2"}, [2]string{"%f4, [%rd3+64];", "%f4, [%rd3+60];"}},
	{"reduction", "buddy", map[string]string{"repeats": "2", "blocks": "19"}, [2]string{"%f4, [%rd3+64];", "%f4, [%rd3+60];"}},
	{"sgemm", "registers-tiny", nil, [2]string{"sgemm_registersE5tileB+4]", "sgemm_registersE5tileB+8]"}},
	{"sgemm", "buddy", nil, [2]string{"sgemm_registersE5tileB+4]", "sgemm_registersE5tileB+8]"}},
}

func TestKernelsOfOtherSizesGiveTheReferenceResult(t *testing.T) {
	for _, o := range tracetest.Draw(t, otherSizes, 2) {
		w, err := traces.Find(o.workload)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(o.workload+"/"+o.size, func(t *testing.T) {
			if err := runFolder(w, w.Files, o.size, o.set); err != nil {
				t.Errorf("as it is: %v", err)
			}
			wrong := edited(t, w, w.Name+".ptx", o.edit[0], o.edit[1], "")
			if err := runFolder(w, wrong, o.size, o.set); err == nil {
				t.Error("a wrong kernel: the checks held")
			}
			corrupt := edited(t, w, w.Program, "gpu.read(", "corrupted(", corrupting)
			if err := runFolder(w, corrupt, o.size, o.set); err == nil || !strings.Contains(err.Error(), ": 1 of ") {
				t.Errorf("a wrong element: got %v, want a failed check of one element", err)
			}
		})
	}
}

func TestSizesThatAKernelCannotComputeAreRefused(t *testing.T) {
	for _, c := range []struct {
		workload, size, name, value, want string
	}{
		{"sgemm", "registers-tiny", "m", "200", "multiples: m of 128, n of 16, k of 8"},
		{"sgemm", "registers-tiny", "k", "20", "multiples: m of 128, n of 16, k of 8"},
		{"sgemm", "tiny", "kernel", "tile", "tiled or registers"},
		{"reduction", "buddy", "blocks", "15", "16 for 16 to 32 blocks"},
		{"reduction", "buddy", "blocks", "33", "16 for 16 to 32 blocks"},
		{"reduction", "tiny", "last", "64", "last must be 256"},
	} {
		w, err := traces.Find(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		err = runFolder(w, w.Files, c.size, map[string]string{c.name: c.value})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, size %s, %s=%s: got %v, want %q in it", c.workload, c.size, c.name, c.value, err, c.want)
		}
	}
}

// runFolder runs a workload's program in a folder that stands for its own.
func runFolder(w traces.Workload, folder fs.FS, size string, set map[string]string) error {
	p, err := host.Load(folder, w.Program)
	if err != nil {
		return err
	}
	_, err = p.Run(context.Background(), host.Options{Size: size, Set: set, Seed: traces.CatalogueSeed})
	return err
}
