// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestHostProgramsDoNotReachOutOfTheirFolder(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	if err := os.MkdirAll(filepath.Join(inside, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "secret.ptx"), racingPTX)
	write(t, filepath.Join(inside, "sub", "good.ptx"), strings.Replace(racingPTX, "exchange", "good", 1))
	for link, target := range map[string]string{
		"link.ptx": "../secret.ptx", "absolute.ptx": filepath.Join(dir, "secret.ptx"), "up": "..", "twice.ptx": "link.ptx", "fine.ptx": "sub/good.ptx",
	} {
		if err := os.Symlink(target, filepath.Join(inside, link)); err != nil {
			t.Skip(err)
		}
	}
	out := filepath.Join(dir, "out.wtape")
	program := func(module string) string {
		return write(t, filepath.Join(inside, "k.star"), "def main(p):\n    gpu.module("+`"`+module+`"`+")\n")
	}
	for _, module := range []string{"link.ptx", "absolute.ptx", "twice.ptx", "up/secret.ptx", "../secret.ptx", "sub/../../secret.ptx", filepath.Join(dir, "secret.ptx")} {
		bad(t, commandline.ExitFailed, "folder", "record", program(module), "-o", out)
		t.Chdir(dir)
		program(module)
		bad(t, commandline.ExitFailed, "the host program's folder", "record", "inside/k.star", "-o", out)
		bad(t, commandline.ExitFailed, "the host program's folder", "record", "./inside/../inside/k.star", "-o", out)
		t.Chdir(inside)
		bad(t, commandline.ExitFailed, "the host program's folder", "record", "k.star", "-o", out)
	}
	program("fine.ptx")
	good(t, "record", "k.star", "-o", out)
	program("sub/good.ptx")
	t.Chdir(dir)
	good(t, "record", "inside/k.star", "-o", out, "--force")
}
