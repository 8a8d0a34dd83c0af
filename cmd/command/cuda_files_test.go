// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// Programs load device code in files of its own, as -fatbin, -cubin and -ptx make them.
// Parts of such files, and files that are none, are errors of the driver's interface.
func TestProgramsLoadFilesOfDeviceCode(t *testing.T) {
	tracetest.Nightly(t)
	program, folder := cudaProgram(t, "loads.cu", "-O3"), t.TempDir()
	source := filepath.Join(cudaPrograms, "loaded.cu")
	whole := filepath.Join(folder, "whole")
	level := tracetest.Draw(t, []string{"-O0", "-O3"}, 1)[0]
	other := tracetest.Draw(t, []string{"--fatbin", "-cubin", "--cubin", "-ptx"}, 1)[0]
	for option, file := range map[string]string{"-fatbin": whole, other: filepath.Join(folder, "other")} {
		good(t, "cc", option, level, "-lineinfo", source, "-o", file)
		code, stdout, stderr, output := runIt(t, program, file)
		if code != 0 || stdout != "ok\n" {
			t.Errorf("%s %s: exit code %d, it says %q and %q", option, level, code, stdout, stderr)
			continue
		}
		good(t, "trace", "verify", output)
	}
	data := contents(t, whole)
	ptx := []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry scale() { BODY ret; }\n")
	body := func(text string) []byte { return bytes.Replace(ptx, []byte("BODY"), []byte(text), 1) }
	const invalidImage, invalidPTX = "error 200\n", "error 218\n"
	for name, c := range map[string]struct {
		damaged []byte
		want    string
	}{
		"a part":                {data[:len(data)/2], invalidImage},
		"an empty one":          {bytes.Replace(data[:16], data[8:16], make([]byte, 8), 1), invalidImage},
		"a head alone":          {data[:16], invalidImage},
		"machine code alone":    {[]byte("\x7fELF\x02\x01\x01 is what begins a cubin"), "error 209\n"},
		"other text":            {[]byte("this is a file of plain words, not device code"), invalidPTX},
		"wrong version":         {bytes.Replace(data, []byte(".version "), []byte(".version x"), 1), invalidPTX},
		"unknown instruction":   {body("addd.u32 %r1, %r1, 1;"), invalidPTX},
		"undeclared register":   {body("mov.u32 %r1, 1;"), invalidPTX},
		"without its last part": {ptx[:len(ptx)-9], invalidPTX},
	} {
		file := filepath.Join(folder, "damaged")
		if err := os.WriteFile(file, c.damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if code, stdout, stderr, _ := runIt(t, program, file); code != 1 || stdout != c.want {
			t.Errorf("%s: exit code %d, it says %q and %q", name, code, stdout, stderr)
		}
	}
	bad(t, 1, "compile them one by one", "cc", "-fatbin", source, source, "-o", whole)
	bad(t, 2, "no input file", "cc", "-cubin", "-o", whole)
}

// With --check, a race ends the program's kernel with both lines; without it, and in kernels
// that have barriers, nothing does.
func TestRunChecksForRaces(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "races.cu", "-O3", "-lineinfo")
	for _, c := range []struct {
		check, argument string
		lines           []string // that the fault names; none: the program ends well
	}{
		{"races", "none", nil}, {"races,global-races", "none", nil}, {"", "shared", nil}, {"", "global", nil},
		{"races", "global", nil},
		{"races", "shared", []string{"races.cu:11", "races.cu:12", "without"}},
		{"global-races", "global", []string{"races.cu:14", "global"}},
		{"global-races", "shared", []string{"races.cu:11", "races.cu:12"}},
	} {
		output := filepath.Join(t.TempDir(), "races.wtape")
		args := []string{"run", "-o", output}
		if c.check != "" {
			args = append(args, "--check", c.check)
		}
		got := warptape(t, append(args, "--", program, c.argument)...)
		if good := got.code == 0 && got.stdout == "ok\n"; good != (c.lines == nil) {
			t.Errorf("--check %q, %s: %+v", c.check, c.argument, got)
		}
		for _, part := range c.lines {
			if !strings.Contains(got.stderr, part) {
				t.Errorf("--check %q, %s: %q is not in %q", c.check, c.argument, part, got.stderr)
			}
		}
		if c.lines != nil { // what had finished is in the trace
			good(t, "trace", "info", output)
		}
	}
	const warning = "warptape: warning: "
	for check, warns := range map[string]bool{"races": true, "global-races": true, "": false} {
		args := []string{"run", "-o", filepath.Join(t.TempDir(), "differing.wtape")}
		if check != "" {
			args = append(args, "--check", check)
		}
		got := warptape(t, append(args, "--", program, "differing")...)
		if got.code != 0 || got.stdout != "ok\n" || strings.Contains(got.stderr, warning) != warns || strings.Contains(got.stderr, "races.cu:15") != warns {
			t.Errorf("--check %q, differing: %+v", check, got)
		}
	}
	bad(t, 2, "there are bounds, races and global-races", "run", "--check", "everything", "--", program, "none")
}

// A slip of -o does not cost the source.
func TestBuildsDoNotReplaceTheirInput(t *testing.T) {
	tracetest.Nightly(t)
	withCUDA(t)
	source := filepath.Join(t.TempDir(), "kernel.cu")
	if err := os.WriteFile(source, []byte("int main() { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, stage := range [][]string{{"-o", source, source}, {"-c", "-o", source, source}, {"-ptx", "-o", source, source}} {
		got := warptape(t, append([]string{"cc"}, stage...)...)
		if text, err := os.ReadFile(source); got.code == 0 || !strings.Contains(got.stderr, "would replace the input") || err != nil || !strings.HasPrefix(string(text), "int main") {
			t.Errorf("%q: %+v, and the source is %.20q", stage, got, text)
		}
	}
}
