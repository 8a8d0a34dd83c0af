// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
)

// fetchKernel reads texel tid of a bound texture reference and of a handle.
const fetchKernel = `.version 6.3
.target sm_70
.address_size 64
.global .texref picture;
.visible .entry fetch(.param .u64 out, .param .u64 handle)
{
	.reg .b32 %r<3>;
	.reg .f32 %f<10>;
	.reg .b64 %rd<5>;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [handle];
	tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [picture, {%r1}];
	tex.2d.v4.f32.s32 {%f5, %f6, %f7, %f8}, [%rd2, {%r1, %r1}];
	add.f32 %f9, %f1, %f6;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd4, %rd1, %rd3;
	st.global.f32 [%rd4], %f9;
	ret;
}
`

func loadFetch(t *testing.T, statements string) *host.Program {
	t.Helper()
	text := strings.ReplaceAll(inMain(statements), "scale.ptx", "fetch.ptx")
	p, err := host.Load(fstest.MapFS{"p.star": {Data: []byte(text)}, "fetch.ptx": {Data: []byte(fetchKernel)}}, "p.star")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTexturesOfArraysAndBuffersAreRead(t *testing.T) {
	p := loadFetch(t, `line = gpu.texture("line", gpu.buffer("texels", f32([1.0, 2.0, 3.0])))
pairs = gpu.texture("pairs", f32([0.0, 10.0, 0.0, 20.0, 0.0, 30.0, 0.0, 40.0]).reshape(2, 2, 2), channels=2, filter="linear", address="border")
gpu.bind(m, "picture", line)
out = gpu.alloc("out", f32, 3)
gpu.launch(m.fetch, grid=1, block=3, args=[out, pairs])
check.equal(gpu.read(out), f32([11.0, 42.0, 3.0]))
check.that(line.name == "line" and line.buffer.name == "texels", "the attributes")
gpu.write(line.buffer, f32([5.0]))
gpu.launch(m.fetch, grid=1, block=3, args=[out, pairs])
check.equal(gpu.read(out, count=1), f32([15.0]))`)
	result, err := p.Run(context.Background(), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Checks != 3 {
		t.Errorf("%d checks held", result.Checks)
	}
}

func TestWrongTexturesSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ statement, want string }{
		{`gpu.texture("t", f32([1.0]), filter="cubic")`, `filter "cubic" is neither "point" nor "linear"`},
		{`gpu.texture("t", f32([1.0]), address="around")`, `address "around" is none of`},
		{`gpu.texture("t", f32([1.0]), address="wrap")`, "texture t: wrapping and mirroring need normalised coordinates"},
		{`gpu.texture("t", f32([1.0]), address="mirror")`, "texture t: wrapping and mirroring need normalised coordinates"},
		{`gpu.texture("t", i32([1]), filter="linear")`, "linear filtering needs"},
		{`gpu.texture("t", f64([1.0]))`, "a texture of f64"},
		{`gpu.texture("t", [1])`, "not of a list"},
		{`gpu.texture("t", array.zeros(f32, (2, 2, 2, 2)))`, "4 dimensions besides the channels"},
		{`gpu.texture("t", f32([1.0]), layered=True)`, "does not begin with a number of layers"},
		{`gpu.texture("t", array.zeros(f32, (2, 3)), channels=2)`, "does not end in the 2 channels"},
		{`gpu.texture("t", array.zeros(f32, (2, 3)), channels=3)`, "3 channels; 1, 2 or 4"},
		{`gpu.bind(m, "counter", gpu.texture("t", f32([1.0])))`, `no .texref or .surfref variable "counter"`},
		{`gpu.launch(m.fetch, grid=1, block=1, args=[gpu.alloc("o", f32, 1), 0])`, "no texture is bound"},
	} {
		_, err := loadFetch(t, c.statement).Run(context.Background(), host.Options{})
		wantError(t, err, "p.star:3:", c.want)
	}
}
