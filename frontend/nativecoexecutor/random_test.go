// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/cuda/emulated"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// run is a kernel with buffers, whose addresses are its first arguments, and numbers
// behind them.
type run struct {
	module      *ptx.Module
	kernel      string
	grid, block trace.Dim3
	shared      uint32
	buffers     [][]byte
	textures    []textured // their handles are arguments behind the buffers
	numbers     []byte
	// pass, if not nil, makes the arguments of the addresses of buffers and the handles of textures.
	pass func(buffers, textures []uint64) []byte
	// constants says which of the buffers a kernel takes in constant memory.
	constants []int
	// Thread blocks that run at the same time.
	cluster     trace.Dim3
	cooperative bool
	// maps, if not nil, is a tensor in each of the first two buffers: their maps are the
	// arguments behind them.
	maps *memory.TensorMap
}

// textured is a texture of one of the buffers; one with a name is bound to that reference.
type textured struct {
	memory.Texture
	buffer int
	bound  string
}

// prepared is a run on a device, before its launch.
type prepared struct {
	addresses []uint64 // of the buffers
	arguments []byte
	loaded    *emulator.Module // nil where it was refused
	kernel    *emulator.LoadedKernel
}

// prepare gives a device the run's buffers and its kernel.
func (r *run) prepare(d *emulator.Device) (p prepared, err error) {
	for i, b := range r.buffers {
		at, err := d.Allocate(fmt.Sprint("buffer", i), uint64(len(b)))
		if err == nil {
			err = d.Write(at, b)
		}
		if err != nil {
			return p, err
		}
		p.addresses = append(p.addresses, at)
		if slices.Contains(r.constants, i) {
			if at, err = d.ConstantCopy(fmt.Sprint("constant", i), at, uint64(len(b))); err != nil {
				return p, err
			}
		}
		p.arguments = binary.LittleEndian.AppendUint64(p.arguments, at)
	}
	if r.maps != nil {
		p.arguments = append(p.arguments, make([]byte, memory.AlignUp(uint64(len(p.arguments)), memory.TensorMapAlign)-uint64(len(p.arguments)))...)
		for _, at := range p.addresses[:2] {
			m := *r.maps
			m.Address = at
			encoded, err := m.Encode()
			if err != nil {
				return p, err
			}
			p.arguments = append(p.arguments, encoded...)
		}
	}
	if p.loaded, err = d.LoadModule(r.module); err != nil {
		return p, err
	}
	if p.kernel, err = p.loaded.Kernel(r.kernel); err != nil {
		return p, err
	}
	var handles []uint64
	for _, x := range r.textures {
		x.Address += p.addresses[x.buffer]
		handle, err := d.CreateTexture(x.Texture)
		if err == nil && x.bound != "" {
			err = p.loaded.BindTexture(x.bound, handle)
		}
		if err != nil {
			return p, err
		}
		p.arguments, handles = binary.LittleEndian.AppendUint64(p.arguments, handle), append(handles, handle)
	}
	p.arguments = append(p.arguments, r.numbers...)
	if r.pass != nil {
		p.arguments = r.pass(p.addresses, handles)
	}
	return p, nil
}

// launch runs what is prepared, and records it. Its error is the device's.
func (r *run) launch(t testing.TB, d *emulator.Device, p *prepared, w *wtape.Writer) error {
	t.Helper()
	index, err := w.AddKernel(p.kernel.Static())
	if err == nil {
		_, err = w.BeginLaunch(trace.Launch{Kernel: index, Grid: r.grid, Block: r.block, DynamicSharedBytes: r.shared, Arguments: p.arguments})
	}
	if err != nil {
		t.Fatal(err)
	}
	_, failed := d.Launch(emulator.LaunchRequest{Kernel: p.kernel, Grid: r.grid, Block: r.block, DynamicShared: r.shared, Arguments: p.arguments, Recorder: w, Cluster: r.cluster, Cooperative: r.cooperative})
	if failed != nil {
		w.DropBlock()
	}
	if err := w.EndLaunch(); err != nil {
		t.Fatal(err)
	}
	return failed
}

// record runs a kernel on a device and gives its trace, and the buffers as they are then.
func (r *run) record(t testing.TB, o emulator.Options) (file []byte, after [][]byte, err error) {
	t.Helper()
	d := emulator.NewDevice(o)
	p, err := r.prepare(d)
	if p.loaded != nil {
		defer func() { // tests record many modules on one device, which would keep them all
			if failed := p.loaded.Unload(); err == nil && failed != nil {
				err = failed
			}
		}()
	}
	if err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "test", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	failed := r.launch(t, d, &p, w)
	if failed != nil {
		w.UpdateHeader(func(h *trace.Header) { h.Sampling = failed.Error() })
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	for i, at := range p.addresses {
		b := make([]byte, len(r.buffers[i]))
		if err := d.Read(at, b); err != nil {
			t.Fatal(err)
		}
		after = append(after, b)
	}
	return out.Bytes(), after, failed
}

// device is a coexecutor on the project's own CUDA device, and what the device says.
type device struct {
	*nativecoexecutor.Coexecutor
	said *bytes.Buffer
}

func open(t testing.TB, o nativecoexecutor.Options) device {
	t.Helper()
	said := new(bytes.Buffer)
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	d, err := emulated.Open(emulated.Options{Say: said, MaxInstructions: 1 << 24})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	c, err := nativecoexecutor.New(d.Device, o)
	if err != nil {
		t.Fatal(err)
	}
	return device{c, said}
}

// compare looks for a difference between the interpreter's trace and a device's.
func (r *run) compare(t testing.TB, d device) {
	t.Helper()
	want, before, err := r.record(t, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, after, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
	if err != nil {
		t.Fatalf("%v\n%s", err, d.said)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("kernel %s: the trace differs from the interpreter's", r.kernel)
	}
	for i := range before {
		if !bytes.Equal(before[i], after[i]) {
			t.Errorf("kernel %s: buffer %d differs from the interpreter's", r.kernel, i)
		}
	}
}

func stored(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err = r.DecodeAll(data, nil); err != nil {
		t.Fatal(err)
	}
	return data
}

// Kernels that a random program wrote, with calls, loops and local arrays, compiled with
// several levels of optimisation.
func TestRandomProgramsAreRecordedAlike(t *testing.T) {
	tracetest.Nightly(t)
	files, err := filepath.Glob("../oracle/testdata/random/*.ptx.zst")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	const grid, block, inputs, kernels = 2, 64, 12, 2
	d, segments := open(t, nativecoexecutor.Options{}), open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	all := os.Getenv("WARPTAPE_ALL_SEGMENTS") != ""
	if !all {
		files = slices.DeleteFunc(files, func(f string) bool { return !strings.Contains(f, "seed2-O1") && !strings.Contains(f, "seed3-O3") })
		files = tracetest.Draw(t, files, 1)
	}
	for i, file := range files {
		m, err := ptx.Parse(file, stored(t, file))
		if err != nil {
			t.Fatal(err)
		}
		input := make([]byte, grid*block*inputs*8)
		state := uint64(i)
		for at := range input {
			state = state*6364136223846793005 + 1442695040888963407
			input[at] = byte(state >> 56)
		}
		for _, k := range tracetest.Draw(t, m.Kernels[:kernels], 1) {
			r := run{module: m, kernel: k.Name, grid: trace.Dim3{X: grid, Y: 1, Z: 1}, block: trace.Dim3{X: block, Y: 1, Z: 1},
				buffers: [][]byte{input, make([]byte, grid*block*8)}}
			r.compare(t, d)
			if !all { // each visit is a launch
				r.grid.X, r.block.X = 1, 3
			}
			r.compare(t, segments)
			if t.Failed() {
				t.Fatal(file)
			}
		}
	}
}
