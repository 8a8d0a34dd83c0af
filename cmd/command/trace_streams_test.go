// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestChampsimFilesGoInAndOut(t *testing.T) {
	folder := t.TempDir()
	var records []byte
	for i := range uint64(100) {
		b := make([]byte, 64)
		binary.LittleEndian.PutUint64(b, 0x401000+4*(i%4))
		binary.LittleEndian.PutUint64(b[32:], 0x8000+8*i)
		records = append(records, b...)
	}
	in := write(t, filepath.Join(folder, "a.champsimtrace"), string(records))
	path, back := filepath.Join(folder, "a.wtape"), filepath.Join(folder, "back")
	good(t, "trace", "import", "champsim", in, "-o", path)
	good(t, "trace", "export", "champsim", path, "-o", back)
	if got, err := os.ReadFile(back); err != nil || !bytes.Equal(got, records) {
		t.Errorf("%d bytes come back of %d, %v", len(got), len(records), err)
	}
	for want, args := range map[string][]string{
		"good: 1 chunks, 0 warp instructions, 100 CPU instructions,":     {"verify", path},
		"CPU thread 0         100 instructions":                          {"info", path},
		"cpu 0 instruction 99 ip 0x40100c load 0x8318\n":                 {"dump", path, "--cpu", "0", "--instructions", "99"},
		`"thread":0,"instruction":2,"ip":"0x401008","loads":["0x8010"]}`: {"dump", path, "--cpu", "0", "--instructions", "2", "--json"},
		"all of 1 threads           100  100.0 %":                        {"stats", path},
		"back.xz: 100 records\n":                                         {"export", "champsim", path, "-o", back + ".xz"},
	} {
		if out := good(t, append([]string{"trace"}, args...)...); !strings.Contains(out, want) {
			t.Errorf("%v lacks %q:\n%s", args, want, out)
		}
	}
	bad(t, commandline.ExitUsage, "missing argument FILE", "trace", "import", "champsim", "-o", back+".wtape")
	bad(t, commandline.ExitFailed, "ends inside record 0 at offset 0", "trace", "import", "champsim", write(t, filepath.Join(folder, "cut"), "short"), "-o", back+".wtape")
	bad(t, commandline.ExitFailed, "CPU thread 1 does not exist: it has 1", "trace", "export", "champsim", path, "--thread", "1", "-o", filepath.Join(folder, "none"))
	bad(t, commandline.ExitFailed, "CPU thread 7 does not exist", "trace", "dump", path, "--cpu", "7")
	bad(t, commandline.ExitUsage, "name the CPU thread", "trace", "dump", path, "--instructions", "7")
	bad(t, commandline.ExitUsage, "a CPU thread has no --launch", "trace", "dump", path, "--cpu", "0", "--warp", "7")
}

func TestAddressStreamsAreWrittenWholeOrNotAtAll(t *testing.T) {
	path := recordedTiny(t, "spmv")
	folder := t.TempDir()
	file := filepath.Join(folder, "a.csv")
	if out := good(t, "trace", "export", "memory", path, "-o", file, "--blocks", "0-1"); !strings.HasPrefix(out, file+": ") {
		t.Error(out)
	}
	if out := good(t, "trace", "export", "memory", path, "-o", "-", "--format", "ramulator"); !strings.HasPrefix(out, "0x") {
		t.Errorf("%.40q", out)
	}
	bad(t, commandline.ExitFailed, "exists already", "trace", "export", "memory", path, "-o", file)
	bad(t, commandline.ExitUsage, "--output FILE is missing", "trace", "export", "memory", path)
	bad(t, commandline.ExitUsage, "there are dinero, ramulator, ramulator2, csv", "trace", "export", "memory", path, "-o", file+"2", "--format", "elf")
	bad(t, commandline.ExitUsage, "--segment 24: want a power of two", "trace", "export", "memory", path, "-o", file+"2", "--segment", "24")
	bad(t, commandline.ExitUsage, "choose one", "trace", "export", "memory", path, "-o", file+"2", "--segment", "32", "--lanes")
	bad(t, commandline.ExitUsage, `--space "l1"`, "trace", "export", "memory", path, "-o", file+"2", "--space", "l1")
	bad(t, commandline.ExitFailed, "launches 9 do not exist", "trace", "export", "memory", path, "-o", file+"2", "--launches", "9")
	bad(t, commandline.ExitUsage, "want N or FILE:N", "trace", "dump", path, "--line", "x")
	bad(t, commandline.ExitFailed, "no kernel has an instruction of line 99999", "trace", "dump", path, "--line", "99999")
	bad(t, commandline.ExitUsage, "--tracer-version 2", "trace", "export", "accelsim", path, "-o", file+"2", "--tracer-version", "2")
	if got := files(t, folder); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}
