// SPDX-License-Identifier: Apache-2.0

package emulator_test

import (
	"encoding/binary"
	"fmt"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

func ExampleDevice_Launch() {
	module, err := ptx.Parse("lane.ptx", []byte(`.version 8.0
.target sm_80
.address_size 64
.visible .entry lanes(.param .u64 out)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], %r1;
	ret;
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	device := emulator.NewDevice(emulator.Options{})
	loaded, err := device.LoadModule(module)
	if err != nil {
		fmt.Println(err)
		return
	}
	kernel, err := loaded.Kernel("lanes")
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := device.Allocate("out", 32*4)
	if err != nil {
		fmt.Println(err)
		return
	}
	one := trace.Dim3{X: 1, Y: 1, Z: 1}
	did, err := device.Launch(emulator.LaunchRequest{Kernel: kernel, Grid: one, Block: trace.Dim3{X: 32, Y: 1, Z: 1}, Arguments: binary.LittleEndian.AppendUint64(nil, out)})
	if err != nil {
		fmt.Println(err)
		return
	}
	words := make([]byte, 32*4)
	if err := device.Read(out, words); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(did.WarpInstructions, "warp instructions; the last lane wrote", binary.LittleEndian.Uint32(words[31*4:]))
	// Output: 5 warp instructions; the last lane wrote 31
}
