// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"fmt"
	"os"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/dump"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// axpy is a kernel of one basic block: load, add, store, return.
func axpy() *trace.Kernel {
	memory := func(opcode string, class trace.OpClass, line uint32) trace.Instruction {
		return trace.Instruction{Opcode: opcode, Modifiers: []string{"global"}, Types: []string{"f32"}, Class: class, Space: trace.SpaceGlobal, LaneBytes: 4, Line: line}
	}
	return &trace.Kernel{
		Name: "axpy",
		Instructions: []trace.Instruction{
			memory("ld", trace.ClassLoad, 10),
			{Opcode: "add", Types: []string{"f32"}, Class: trace.ClassF32Add, Line: 11},
			memory("st", trace.ClassStore, 12),
			{Opcode: "ret", Class: trace.ClassExit, Line: 13},
		},
		Blocks: []trace.BasicBlock{{First: 0, Count: 4, PostDominator: trace.NoBlock}},
	}
}

// write records a launch of two thread blocks of 40 threads.
func write(w *wtape.Writer) error {
	kernel, err := w.AddKernel(axpy())
	if err != nil {
		return err
	}
	launch := trace.Launch{Kernel: kernel, Grid: trace.Dim3{X: 2, Y: 1, Z: 1}, Block: trace.Dim3{X: 40, Y: 1, Z: 1}}
	if _, err := w.BeginLaunch(launch); err != nil {
		return err
	}
	for block := range launch.Grid.Count() {
		w.BeginBlock(block)
		for warp, lanes := range []uint32{0xffffffff, 0x000000ff} {
			first := 0x1000 + block*160 + uint64(warp)*128
			w.Visit(warp, 0, lanes)
			w.AccessStrided(warp, lanes, first, 4) // ld
			w.AccessStrided(warp, lanes, first, 4) // st
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	if err := w.EndLaunch(); err != nil {
		return err
	}
	return w.Finish()
}

func ExampleNewWriter() {
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "axpy", trace.Header{Tool: "example 1.0"}, wtape.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Abort()
	if err := write(w); err != nil {
		fmt.Println(err)
		return
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	t := r.Totals()
	fmt.Println(t.WarpInstructions, "warp instructions,", t.ThreadInstructions, "thread instructions")
	fmt.Println("verified:", verification.Verify(r) == nil)
	// Output:
	// 16 warp instructions, 320 thread instructions
	// verified: true
}

func ExampleReader_ReadChunk() {
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "axpy", trace.Header{}, wtape.Options{})
	if err == nil {
		err = write(w)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	i, err := r.FindChunk(0, 1) // launch 0, thread block 1
	if err != nil {
		fmt.Println(err)
		return
	}
	chunk := wtape.NewChunk()
	if err := r.ReadChunk(i, chunk); err != nil {
		fmt.Println(err)
		return
	}
	warp := chunk.Warp(1, 1)
	fmt.Printf("blocks %v, lanes %x\n", warp.Blocks, warp.Masks)
	for _, a := range warp.Accesses {
		fmt.Printf("base %#x stride %d\n", a.Base, a.Stride)
	}
	// Output:
	// blocks [0], lanes [ff]
	// base 0x1120 stride 4
	// base 0x1120 stride 4
}

func Example_dump() {
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "axpy", trace.Header{}, wtape.Options{})
	if err == nil {
		err = write(w)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	block := uint64(1)
	if err := dump.Write(r, os.Stdout, dump.Options{Block: &block}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// launch 0 kernel axpy grid 2,1,1 block 40,1,1
	// thread block 1 warp 0
	//   visit block 0 lanes ffffffff
	//     0 ld.global.f32 line 10 lanes ffffffff base 0x10a0 stride 4
	//     2 st.global.f32 line 12 lanes ffffffff base 0x10a0 stride 4
	// thread block 1 warp 1
	//   visit block 0 lanes 000000ff
	//     0 ld.global.f32 line 10 lanes 000000ff base 0x1120 stride 4
	//     2 st.global.f32 line 12 lanes 000000ff base 0x1120 stride 4
}
