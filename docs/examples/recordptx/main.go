// SPDX-License-Identifier: Apache-2.0

// Command recordptx runs a kernel of its own on the emulated GPU, checks what it computed,
// and records the trace. Its host program is Go:
//
//	go run ./docs/examples/recordptx square.wtape
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// square is x[i] *= x[i] for one element a thread.
const square = `
.version 8.0
.target sm_80
.address_size 64
.visible .entry square(.param .u64 x)
{
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	mad.wide.u32 %rd2, %r4, 4, %rd1;
	ld.global.u32 %r5, [%rd2];
	mul.lo.s32 %r5, %r5, %r5;
	st.global.u32 [%rd2], %r5;
	ret;
}
`

const blocks, threads = 8, 128

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "recordptx:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: recordptx FILE.wtape")
	}
	w, err := wtape.Create(args[0], trace.Header{Tool: "recordptx 1.0", Program: "square"}, wtape.Options{})
	if err != nil {
		return err
	}
	defer w.Abort() // leaves no file, unless Finish has been reached
	if err := record(w); err != nil {
		return err
	}
	if err := w.Finish(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d warp instructions\n", args[0], w.Totals().WarpInstructions)
	return nil
}

// record runs the kernel on a device of its own; w takes what it does.
func record(w *wtape.Writer) error {
	module, err := ptx.Parse("square.ptx", []byte(square))
	if err != nil {
		return err
	}
	device := emulator.NewDevice(emulator.Options{})
	loaded, err := device.LoadModule(module)
	if err != nil {
		return err
	}
	kernel, err := loaded.Kernel("square")
	if err != nil {
		return err
	}
	x, err := device.Allocate("x", blocks*threads*4)
	if err != nil {
		return err
	}
	var data []byte
	for i := range uint32(blocks * threads) {
		data = binary.LittleEndian.AppendUint32(data, i)
	}
	if err := device.Write(x, data); err != nil {
		return err
	}
	index, err := w.AddKernel(kernel.Static())
	if err != nil {
		return err
	}
	launch := trace.Launch{
		Kernel: index, Grid: trace.Dim3{X: blocks, Y: 1, Z: 1}, Block: trace.Dim3{X: threads, Y: 1, Z: 1},
		Arguments: binary.LittleEndian.AppendUint64(nil, x),
	}
	if _, err := w.BeginLaunch(launch); err != nil {
		return err
	}
	if _, err := device.Launch(emulator.LaunchRequest{Kernel: kernel, Grid: launch.Grid, Block: launch.Block, Arguments: launch.Arguments, Recorder: w}); err != nil {
		return err
	}
	if err := w.EndLaunch(); err != nil {
		return err
	}
	if err := device.Read(x, data); err != nil {
		return err
	}
	for i := range uint32(blocks * threads) {
		if got := binary.LittleEndian.Uint32(data[4*i:]); got != i*i {
			return fmt.Errorf("element %d is %d, not %d", i, got, i*i)
		}
	}
	return nil
}
