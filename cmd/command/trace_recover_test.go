// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestTraceRecoverSavesACutFile(t *testing.T) {
	path := recordedTiny(t, "saxpy")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cut, out := filepath.Join(folder, ".saxpy.wtape.0.partial"), filepath.Join(folder, "out.wtape")
	write(t, cut, string(whole[:len(whole)-70]))
	good(t, "trace", "recover", cut, "-o", out)
	good(t, "trace", "verify", out)
	good(t, "replay", out, "--arch", "gtx480")
	bad(t, commandline.ExitFailed, "exists already", "trace", "recover", cut, "-o", out)
	good(t, "trace", "recover", cut, "-o", out, "--force")
	bad(t, commandline.ExitUsage, "--output FILE is missing", "trace", "recover", cut)
	bad(t, commandline.ExitFailed, "nothing to recover", "trace", "recover", write(t, cut, string(whole[:20])), "-o", filepath.Join(folder, "none.wtape"))
	if got := files(t, folder); len(got) != 2 {
		t.Errorf("left behind: %v", got)
	}
}
