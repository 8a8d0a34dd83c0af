// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"os"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
)

// referenceProgram runs the kernels of the reference simulator's comparison.
const referenceProgram = `
sizes = {"small": {"saxpy": "", "transpose": "", "sgemm": ""}}

def main(p):
    n = 1000
    x, y = random.uniform(f32, n), random.uniform(f32, n)
    x_dev, y_dev = gpu.buffer("x", x), gpu.buffer("y", y)
    gpu.launch(gpu.module(p.saxpy).saxpy, grid=gpu.blocks(n, 256), block=256, args=[y_dev, x_dev, 2.5, n])
    check.equal(gpu.read(y_dev), array.fma(x, 2.5, y), name="saxpy")

    w, h = 37, 50
    a = random.uniform(f32, (h, w))
    a_dev, out = gpu.buffer("a", a), gpu.alloc("out", f32, (w, h))
    gpu.launch(gpu.module(p.transpose).transpose, grid=(3, 4), block=(16, 16), args=[out, a_dev, w, h])
    check.equal(gpu.read(out), a.transpose(), name="transpose")

    n = 48
    a, b = random.uniform(f32, (n, n)), random.uniform(f32, (n, n))
    a_dev, b_dev, c_dev = gpu.buffer("a", a), gpu.buffer("b", b), gpu.alloc("c", f32, (n, n))
    gpu.launch(gpu.module(p.sgemm).sgemm, grid=(3, 3), block=(16, 16), args=[c_dev, a_dev, b_dev, n])
    check.close(gpu.read(c_dev), array.matmul(a, b), rel=n * math.pow(2, -24), name="sgemm")
`

func TestReferenceKernelsGiveTheRightResults(t *testing.T) {
	const dir = "../ptx/testdata/reference/"
	for _, target := range []string{"sm30", "sm70"} {
		files := fstest.MapFS{"p.star": {Data: []byte(referenceProgram)}}
		set := map[string]string{}
		for _, name := range []string{"saxpy", "transpose", "sgemm"} {
			text, err := os.ReadFile(dir + name + "." + target + ".ptx")
			if err != nil {
				t.Fatal(err)
			}
			set[name] = name + "." + target + ".ptx"
			files[set[name]] = &fstest.MapFile{Data: text}
		}
		p, err := host.Load(files, "p.star")
		if err != nil {
			t.Fatal(err)
		}
		result, err := p.Run(context.Background(), host.Options{Set: set})
		if err != nil {
			t.Errorf("%s: %v", target, err)
		}
		if result.Checks != 3 {
			t.Errorf("%s: %d checks held", target, result.Checks)
		}
	}
}
