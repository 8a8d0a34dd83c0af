// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// vecadd is a reference kernel, vecadd_4x64, without its data.
const vecadd = `.grid 4
.block 64
    LDS r0, TID
    MVI r1, 10
    SHR r0, r0, r1
    LDS r2, BIDX
    MVI r1, 64
    MAD r0, r0, r2, r1
    MVI r3, 256
    ADD r3, r0, r3
    LD r4, r0
    LD r5, r3
    ADD r6, r4, r5
    MVI r7, 512
    ADD r3, r0, r7
    ST r3, r6
    EXIT
`

func teslaFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAKernelOfTheTeslaLikeMachineIsRecordedAndReplayed(t *testing.T) {
	program := teslaFile(t, "vecadd.tesla", vecadd)
	tape := filepath.Join(filepath.Dir(program), "vecadd.wtape")
	if out := good(t, "record", program, "-o", tape); !strings.Contains(out, "120 warp instructions of 4 thread blocks\n  202 cycles on 16 multiprocessors of 8 processors, after 19 of loading") {
		t.Error(out)
	}
	// The cycles of the reference, on one multiprocessor and on two.
	out := good(t, "replay", tape, "--arch", "tesla-rtl+set(gpu.sms=1)", "--arch", "tesla-rtl+set(gpu.sms=2)", "--arch", "tesla-rtl+set(gpu.sms=1,tesla.processors=32,tesla.register_address_bits=8)", "-q")
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "core cycles") && strings.Join(strings.Fields(line), " ") != "core cycles 547 312 0.570 379 0.693" {
			t.Error(line)
		}
	}
	good(t, "replay", tape, "--arch", "tesla-rtl", "-q", "--timeline", filepath.Join(t.TempDir(), "t.pftrace"))
	good(t, "replay", tape, "--arch", "tesla-rtl", "-q", "--pprof", filepath.Join(t.TempDir(), "p.pprof"))
	bad(t, commandline.ExitFailed, "record a .tesla program or a kernel image", "replay", recordedTiny(t, "saxpy"), "--arch", "tesla-rtl", "-q")
}

func TestAnImageIsTheProgram(t *testing.T) {
	program := teslaFile(t, "vecadd.tesla", vecadd)
	image := filepath.Join(filepath.Dir(program), "vecadd.mem")
	good(t, "tesla", "assemble", program, "-o", image)
	again := teslaFile(t, "again.tesla", good(t, "tesla", "disassemble", image))
	if got, want := good(t, "tesla", "assemble", again), good(t, "tesla", "assemble", program); got != want {
		t.Errorf("assembled again:\n%s\nwant\n%s", got, want)
	}
	var summaries [2]string
	for i, file := range []string{program, image} {
		out := good(t, "record", file, "-o", filepath.Join(t.TempDir(), "x.wtape"))
		_, out, _ = strings.Cut(out, ": ")
		summaries[i], _, _ = strings.Cut(out, "recorded in")
	}
	if summaries[0] != summaries[1] {
		t.Errorf("the program's recording says\n%s\nthe image's\n%s", summaries[0], summaries[1])
	}
}

func TestBadProgramsOfTheTeslaLikeMachineAreRefused(t *testing.T) {
	program := teslaFile(t, "bad.tesla", "NOP\nFMA r1, r2\nEXIT")
	bad(t, commandline.ExitFailed, `bad.tesla:2: no instruction is called "FMA"`, "record", program)
	bad(t, commandline.ExitFailed, `bad.tesla:2: no instruction is called "FMA"`, "tesla", "assemble", program)
	bad(t, commandline.ExitFailed, "the image ends without START: it is cut", "record", teslaFile(t, "cut.mem", "3fc000000\n"))
	bad(t, commandline.ExitUsage, "--size is for host programs", "record", program, "--size", "tiny")
	bad(t, commandline.ExitUsage, "--set SPS: a parameter of the machine is one of NUM_MPS", "record", program, "--set", "SPS=4")
	bad(t, commandline.ExitFailed, "SP_PER_MP is 3", "record", teslaFile(t, "e.tesla", "EXIT"), "--set", "SP_PER_MP=3")
	bad(t, commandline.ExitFailed, "a program ends in .tesla", "tesla", "assemble", teslaFile(t, "x.txt", "EXIT"))
}

const loweredPTX = `.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u32 factor)
{
.reg .b32 %r<8>; .shared .b32 m[64];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, m;
add.u32 %r2, %r2, %r3;
ld.param.u32 %r4, [factor];
mul.lo.u32 %r4, %r4, %r1;
st.shared.u32 [%r2], %r4;
ret;
}
`

func TestAKernelInPTXIsLoweredAndRecorded(t *testing.T) {
	folder := t.TempDir()
	source, program, tape := filepath.Join(folder, "scale.ptx"), filepath.Join(folder, "scale.tesla"), filepath.Join(folder, "scale.wtape")
	if err := os.WriteFile(source, []byte(loweredPTX), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"tesla", "lower", source, "--grid", "4", "--block", "64", "--param", "-3", "-o", program}, ""},
		{[]string{"record", program, "-o", tape}, ""},
		{[]string{"tesla", "lower", source}, "takes 1 parameters, and 0 values are given"},
		{[]string{"tesla", "lower", source, "--param", "x"}, "no integer of 32 bits"},
		{[]string{"tesla", "lower", source, "--block", "1,2,3,4"}, "one to three sizes"},
		{[]string{"tesla", "lower", source, "--kernel", "other"}, "name one of the kernels with --kernel: scale"},
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"warptape"}, c.args...), &out, &errs)
		if (code == 0) != (c.want == "") || !strings.Contains(errs.String(), c.want) || c.want == "" && strings.Contains(errs.String(), "warning") {
			t.Errorf("%v: code %d, %s", c.args, code, errs.String())
		}
	}
}

// rowsKernel stores the numbers of all threads to one word, which keeps that of the last row.
const rowsKernel = `.grid 1
.block 32
    LDS r0, TID
    MVI r1, 10
    SHR r0, r0, r1
    MVI r1, 0
    ST r1, r0
    EXIT
`

func TestOtherMachinesSayThatAKernelIsOfTheTeslaLikeMachine(t *testing.T) {
	program := teslaFile(t, "vecadd.tesla", vecadd)
	tape := filepath.Join(filepath.Dir(program), "vecadd.wtape")
	good(t, "record", program, "-o", tape)
	const told = "kernel vecadd is in the language of the Tesla-like GPGPU: gtx480 replays its path"
	if out := good(t, "replay", tape, "--arch", "gtx480", "--full"); !strings.Contains(strings.Join(strings.Fields(out), " "), told) {
		t.Error(out)
	}
	if out := good(t, "replay", tape, "--arch", "tesla-rtl", "--full"); strings.Contains(out, "language") {
		t.Error(out)
	}
	if o := warptape(t, "record", teslaFile(t, "rows.tesla", rowsKernel), "-o", tape, "--force"); o.code != commandline.ExitOK || !strings.Contains(o.stderr, "the kernel depends on rows") {
		t.Fatal(o.code, o.stderr)
	}
	bad(t, commandline.ExitFailed, "gtx480: kernel rows depends on rows", "replay", tape, "--arch", "gtx480", "-q")
	bad(t, commandline.ExitFailed, "gtx480-15+dac: kernel rows depends on rows", "replay", tape, "--arch", "gtx480-15+dac", "-q")
	good(t, "replay", tape, "--arch", "tesla-rtl", "-q")
}
