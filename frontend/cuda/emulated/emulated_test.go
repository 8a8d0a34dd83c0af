// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64) && !static

package emulated

import (
	"bytes"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/trace"
)

const doubling = `.version 6.3
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 p)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [%rd3];
	add.u32 %r2, %r2, %r2;
	st.global.u32 [%rd3], %r2;
	ret;
}
`

// Two devices of one process have memory of their own, and run PTX.
func TestDevicesRunPTX(t *testing.T) {
	for range 2 {
		if _, err := clang.Find(); err != nil {
			t.Skip(err)
		}
		d, err := Open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if !d.Own() || d.Name() != Name {
			t.Errorf("device %q, own %t", d.Name(), d.Own())
		}
		p, err := d.Allocate(128)
		if err != nil || p != 0xC0000000 {
			t.Fatalf("memory at 0x%x: %v", p, err)
		}
		m, err := d.Load([]byte(doubling))
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Function("twice")
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Write(p, bytes.Repeat([]byte{3, 1, 0, 0}, 32)); err != nil {
			t.Fatal(err)
		}
		arguments := []byte{0, 0, 0, 0xC0, 0, 0, 0, 0}
		one := trace.Dim3{X: 1, Y: 1, Z: 1}
		if err := f.Launch(one, trace.Dim3{X: 32, Y: 1, Z: 1}, 0, arguments); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 128)
		if err := d.Read(got, p); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, bytes.Repeat([]byte{6, 2, 0, 0}, 32)) {
			t.Errorf("%x", got)
		}
	}
}
