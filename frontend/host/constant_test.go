// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
)

// declared is a kernel whose parameter says that it points to constants.
const declared = `.version 6.3
.target sm_70
.address_size 64
.const .align 4 .b32 table[4] = {11, 12, 13, 14};
.visible .entry pick(.param .u64 .ptr .global .align 4 y, .param .u64 .ptr .const .align 4 w, .param .u32 at)
{
	.reg .b32 %r<4>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [y]; ld.param.u64 %d2, [w]; ld.param.u32 %r1, [at];
	mad.wide.u32 %d3, %r1, 4, %d2; ld.const.u32 %r2, [%d3]; st.global.u32 [%d1], %r2; ret;
}
.visible .entry many(.param .u64 .ptr .const a0, .param .u64 .ptr .const a1, .param .u64 .ptr .const a2, .param .u64 .ptr .const a3, .param .u64 .ptr .const a4, .param .u64 .ptr .const a5,
	.param .u64 .ptr .const a6, .param .u64 .ptr .const a7, .param .u64 .ptr .const a8, .param .u64 .ptr .const a9, .param .u64 .ptr .const a10) { ret; }
`

func runConstants(t *testing.T, program string, o host.Options) (host.Result, error) {
	t.Helper()
	files := fstest.MapFS{"p.star": {Data: []byte(program)}, "declared.ptx": {Data: []byte(declared)},
		"late.ptx": {Data: []byte(strings.Replace(declared, "ld.const.u32 %r2", "ld.const.L1::evict_last.u32 %r2", 1))}, "library.ptx": {Data: []byte(".version 6.3\n.target sm_70\n.func f() { ret; }\n")}}
	for _, name := range []string{"constant.O0.ptx", "constant.O3.ptx"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	p, err := host.Load(files, "p.star")
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(context.Background(), o)
}

// A buffer for a pointer to constants is in constant memory, as it is at the
// launch; clang does not say which parameters are such pointers.
func TestBuffersReachKernelsThroughConstantMemory(t *testing.T) {
	_, err := runConstants(t, `
def same(what, got, want):
    check.that(got == want, "%s: %s, want %s" % (what, got, want))

def main(p):
    for file in ["constant.O0.ptx", "constant.O3.ptx"]:
        m = gpu.module(file)
        w = gpu.buffer("w", f32([1.0, 2.0, 3.0]))
        x = gpu.buffer("x", f32([float(i) for i in range(64)]))
        y = gpu.alloc("y", f32, 32)
        step = gpu.buffer("step", i32([4]))
        gpu.launch(m.weigh, 1, 32, args=[y, w, x, 3, step])
        for i in range(32):
            same("sum", gpu.read(y)[i], f32([1.0 * i + 2.0 * (i + 4) + 3.0 * (i + 8)])[0])
        gpu.write(w, f32([0.0, 0.0, 5.0]))
        gpu.write(step, i32([1]))
        gpu.launch(m.weigh, 1, 32, args=[y, w, x, 3, step])
        same("anew", gpu.read(y)[7], f32([45.0])[0])
        a = gpu.buffer("a", f32([float(i) for i in range(16)]))
        b = gpu.buffer("b", f32([float(100 + i) for i in range(16)]))
        gpu.launch(m.choose, 1, 32, args=[y, a, b])
        same("odd", gpu.read(y)[9], f32([4.0])[0])
        same("even", gpu.read(y)[8], f32([104.0])[0])
    m = gpu.module("declared.ptx")
    y, w = gpu.alloc("y", u32, 1), gpu.buffer("w", u32([5, 6, 7]))
    gpu.launch(m.pick, 1, 1, args=[y, w, 2])
    same("declared", gpu.read(y)[0], u32([7])[0])
    gpu.launch(m.pick, 1, 1, args=[y, gpu.symbol(m, "table", u32), 2])
    same("a variable that lies there itself", gpu.read(y)[0], u32([13])[0])
    gpu.free(w)
    w = gpu.buffer("again", u32([8]))
    gpu.launch(m.pick, 1, 1, args=[y, w, 0])
    same("after a free", gpu.read(y)[0], u32([8])[0])
`, host.Options{})
	if err != nil {
		t.Error(err)
	}
}

func TestConstantBuffersHaveBounds(t *testing.T) {
	for body, complaint := range map[string]string{
		`gpu.launch(m.pick, 1, 1, args=[y, gpu.buffer("w", u32([5, 6, 7])), 3])`:               "past the end of buffer w",
		`gpu.launch(m.pick, 1, 1, args=[y, gpu.alloc("big", u32, 16385), 3])`:                  "at most 65536",
		`gpu.launch(m.many, 1, 1, args=[gpu.alloc("a%d" % i, u32, 16384) for i in range(11)])`: "do not fit into its 10 regions",
		`w = gpu.alloc("w", u32, 4); gpu.free(w); gpu.launch(m.pick, 1, 1, args=[y, w, 0])`:    "was freed",
	} {
		_, err := runConstants(t, "def main(p):\n    m = gpu.module(\"declared.ptx\")\n    y = gpu.alloc(\"y\", u32, 1)\n    "+body+"\n", host.Options{})
		if err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%s: %v, want %q", body, err, complaint)
		}
	}
}

// Ten buffers of 64 KiB fit, one in each region.
func TestConstantRegionsAreFilled(t *testing.T) {
	_, err := runConstants(t, `
def main(p):
    m = gpu.module("declared.ptx")
    gpu.launch(m.many, 1, 1, args=[gpu.alloc("a%d" % i, u32, 16384) for i in range(9)] + [gpu.alloc("b", u32, 8192), gpu.alloc("c", u32, 8192)])
`, host.Options{})
	if err != nil {
		t.Error(err)
	}
}

func TestModulesAreComparedWithTheirTargets(t *testing.T) {
	program := "def main(p):\n    gpu.module(\"late.ptx\")\n    gpu.module(\"library.ptx\")\n"
	result, err := runConstants(t, program, host.Options{})
	if err != nil || len(result.ModuleWarnings) != 2 {
		t.Fatalf("%v, %v", err, result.ModuleWarnings)
	}
	for i, want := range []string{"late.ptx:9:33: ld.const.L1::evict_last.u32 needs PTX ISA 7.4, but .version is 6.3", "library.ptx:3:7: no .entry function with a body"} {
		if got := result.ModuleWarnings[i].String(); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err := runConstants(t, program, host.Options{Strict: true}); err == nil || !strings.Contains(err.Error(), "late.ptx:9:33") {
		t.Errorf("strict: %v", err)
	}
}
