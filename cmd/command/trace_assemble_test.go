// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// digestOf is what trace info prints.
func digestOf(t *testing.T, path string) string {
	t.Helper()
	m := regexp.MustCompile(`digest +([0-9a-f]{64})`).FindStringSubmatch(good(t, "trace", "info", path))
	if m == nil {
		t.Fatalf("%s: no digest", path)
	}
	return m[1]
}

func TestAFullDumpAndAssembleKeepTheDigest(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"bfs", "sgemm", "streams"} {
		path := recordedTiny(t, name)
		text := write(t, filepath.Join(folder, name+".txt"), good(t, "trace", "dump", path, "--full"))
		again := filepath.Join(folder, name+".wtape")
		good(t, "trace", "assemble", text, "-o", again)
		if digestOf(t, again) != digestOf(t, path) {
			t.Errorf("%s: the digest changed", name)
		}
		bad(t, commandline.ExitFailed, "exists already", "trace", "assemble", text, "-o", again)
	}
	broken := write(t, filepath.Join(folder, "broken.txt"), "wtape-text 1\nv 0 0\n")
	bad(t, commandline.ExitFailed, broken+":2:", "trace", "assemble", broken, "-o", filepath.Join(folder, "broken.wtape"))
	bad(t, commandline.ExitUsage, "--full", "trace", "dump", recordedTiny(t, "saxpy"), "--full", "--launch", "0")
}
