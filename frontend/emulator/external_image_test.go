// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math"
	"os"
	"testing"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// imageScript is a device with the kernels of testdata/images, which clang made
// of OpenCL C.
type imageScript struct {
	*Device
	module *Module
}

func newImageScript(t *testing.T) *imageScript {
	t.Helper()
	text, err := os.ReadFile("testdata/images/images.ptx")
	if err != nil {
		t.Fatal(err)
	}
	d := NewDevice(Options{})
	m, err := d.LoadModule(parse(t, "images.ptx", string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return &imageScript{d, m}
}

// image makes an image of words.
func (s *imageScript) image(t *testing.T, texture memory.Texture, words []uint32) (handle, address uint64) {
	t.Helper()
	texture.Name, texture.Address = "image", upload(t, s.Device, "texels", words)
	handle, err := s.CreateTexture(texture)
	if err != nil {
		t.Fatal(err)
	}
	return handle, texture.Address
}

func (s *imageScript) launch(t *testing.T, kernel string, grid, block trace.Dim3, arguments ...any) error {
	t.Helper()
	k, err := s.module.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Launch(LaunchRequest{Kernel: k, Grid: grid, Block: block, Arguments: pack(arguments...)})
	return err
}

func (s *imageScript) must(t *testing.T, kernel string, grid, block trace.Dim3, arguments ...any) {
	t.Helper()
	if err := s.launch(t, kernel, grid, block, arguments...); err != nil {
		t.Fatal(err)
	}
}

func TestImagesAreReadAndWrittenByTexel(t *testing.T) {
	s := newImageScript(t)
	in, _ := s.image(t, memory.Texture{Width: 16, Height: 8, Channels: 1, Element: ptx.F32}, ramp(16, 8))
	out, address := s.image(t, memory.Texture{Width: 8, Height: 16, Channels: 1, Element: ptx.F32}, make([]uint32, 128))
	s.must(t, "transpose_image", dims(2, 2), dims(8, 4), in, out)
	for i, w := range download(t, s.Device, address, 128) {
		x, y := i/8, i%8
		if got, want := value(w), float32(2*(10*x+1000*y)); got != want {
			t.Fatalf("texel (%d,%d) is %v, want %v", i%8, i/8, got, want)
		}
	}
}

func TestIntegerImagesSaturateWhatTheyStore(t *testing.T) {
	s := newImageScript(t)
	bytes, halves := make([]uint32, 32), make([]uint32, 64)
	for i := range bytes {
		bytes[i] = 0x5020_4010 + uint32(i)<<8
	}
	for i := range halves {
		halves[i] = uint32(i*800) & 0xffff // the upper half stays zero
		if i%2 == 1 {
			halves[i] = uint32(-i*800) & 0xffff
		}
	}
	u, _ := s.image(t, memory.Texture{Width: 8, Height: 4, Channels: 4, Element: ptx.U8}, bytes)
	v, _ := s.image(t, memory.Texture{Width: 8, Height: 4, Channels: 4, Element: ptx.S16}, halves)
	uOut, uAt := s.image(t, memory.Texture{Width: 8, Height: 4, Channels: 4, Element: ptx.U8}, make([]uint32, 32))
	vOut, vAt := s.image(t, memory.Texture{Width: 8, Height: 4, Channels: 4, Element: ptx.S16}, make([]uint32, 64))
	s.must(t, "integers", dims(1, 1), dims(8, 4), u, v, uOut, vOut)
	for i, w := range download(t, s.Device, uAt, 32) {
		for c := range 4 {
			if got, want := w>>(8*c)&255, min(3*(bytes[i]>>(8*c)&255), 255); got != want {
				t.Fatalf("byte %d of texel %d is %d, want %d", c, i, got, want)
			}
		}
	}
	for i, w := range download(t, s.Device, vAt, 64) {
		if got, want := int(int16(w)), max(-32768, min(32767, 3*int(int16(halves[i])))); got != want || w>>16 != 0 {
			t.Fatalf("word %d is %#x, want %d", i, w, want)
		}
	}
}

// The bits of sampler_t as clang sets them (CLK_NORMALIZED_COORDS_TRUE, the address
// modes, CLK_FILTER_LINEAR of opencl-c-base.h).
const (
	normalized  = 0x01
	addressMask = 0x0e
	linear      = 0x20
)

// sampled samples a ramp of 8 x 4 texels by the formulas of OpenCL 1.2, 8.2.
func sampled(sampler uint64, x, y float32) [4]float64 {
	const width, height = 8, 4
	index := func(i, n int) (int, bool) {
		switch sampler & addressMask {
		case 4:
			return i, i >= 0 && i < n
		case 6:
			return ((i % n) + n) % n, true
		case 8:
			for i < 0 || i >= n { // mirrored at either end until it is inside
				if i < 0 {
					i = -1 - i
				} else {
					i = 2*n - 1 - i
				}
			}
			return i, true
		}
		return max(0, min(i, n-1)), true
	}
	texel := func(i, j int) float64 {
		i, inX := index(i, width)
		j, inY := index(j, height)
		if !inX || !inY {
			return 0
		}
		return float64(10*i + 1000*j)
	}
	u, v := float64(x), float64(y)
	if sampler&normalized != 0 {
		u, v = u*width, v*height
	}
	if sampler&linear == 0 {
		return [4]float64{texel(int(math.Floor(u)), int(math.Floor(v))), 0, 0, 1}
	}
	i, j := int(math.Floor(u-0.5)), int(math.Floor(v-0.5))
	a, b := u-0.5-float64(i), v-0.5-float64(j)
	return [4]float64{(1-a)*(1-b)*texel(i, j) + a*(1-b)*texel(i+1, j) + (1-a)*b*texel(i, j+1) + a*b*texel(i+1, j+1), 0, 0, 1}
}

func TestSamplersChooseCoordinatesModeAndFilter(t *testing.T) {
	s := newImageScript(t)
	image, _ := s.image(t, memory.Texture{Width: 8, Height: 4, Channels: 1, Element: ptx.F32}, ramp(8, 4))
	for _, sampler := range []uint64{0x10, 0x12, 0x14, 0x22, 0x24, 0x13, 0x15, 0x17, 0x19, 0x23, 0x25, 0x27, 0x29} {
		var places []uint32
		var points [][2]float32
		for i := range 64 {
			x, y := float32(i*37%300-100)/16, float32(i*23%200-60)/32 // weights are exact in 256ths
			if sampler&normalized != 0 {
				x, y = x/8, y/4
			}
			if sampler&addressMask == 0 { // nothing may lie outside
				x, y = min(max(x, 0), 7), min(max(y, 0), 3)
			}
			places, points = append(places, math.Float32bits(x), math.Float32bits(y)), append(points, [2]float32{x, y})
		}
		out := upload(t, s.Device, "out", make([]uint32, 256))
		s.must(t, "sample_image", dims(1, 1), dims(64, 1), image, sampler, upload(t, s.Device, "at", places), out)
		words := download(t, s.Device, out, 256)
		for i, p := range points {
			want := sampled(sampler, p[0], p[1])
			for c := range want {
				if got := float64(value(words[4*i+c])); got != want[c] {
					t.Fatalf("sampler %#x at %v, channel %d: %v, want %v", sampler, p, c, got, want[c])
				}
			}
		}
	}
}

func TestImagesOfAllKindsAreFetchedFrom(t *testing.T) {
	s := newImageScript(t)
	numbers := make([]uint32, 256)
	for i := range numbers {
		numbers[i] = math.Float32bits(float32(i))
	}
	kind := func(texture memory.Texture) uint64 {
		texture.Width, texture.Channels, texture.Element = 8, 1, ptx.F32
		handle, _ := s.image(t, texture, numbers)
		return handle
	}
	out := upload(t, s.Device, "out", make([]uint32, 40))
	s.must(t, "fetch_kinds", dims(1, 1), dims(8, 1), kind(memory.Texture{Height: 4, Depth: 3}), kind(memory.Texture{}), kind(memory.Texture{Height: 4, Layers: 3}), kind(memory.Texture{Layers: 5}), kind(memory.Texture{}), out)
	for i, w := range download(t, s.Device, out, 40) {
		x := i / 5
		if want := float32([]int{x + 8*1 + 32*2, x, x + 8*1 + 32*1, x + 8*2, x}[i%5]); value(w) != want {
			t.Errorf("thread %d, image %d: %v, want %v", x, i%5, value(w), want)
		}
	}
}

func TestQueriesOfImagesGiveOpenCLsNumbers(t *testing.T) {
	s := newImageScript(t)
	flat, _ := s.image(t, memory.Texture{Width: 6, Height: 5, Channels: 2, Element: ptx.U16}, make([]uint32, 64))
	volume, _ := s.image(t, memory.Texture{Width: 4, Height: 3, Depth: 2, Channels: 1, Element: ptx.F32}, make([]uint32, 64))
	layers, _ := s.image(t, memory.Texture{Width: 2, Height: 2, Layers: 7, Channels: 1, Element: ptx.F32}, make([]uint32, 64))
	out := upload(t, s.Device, "out", make([]uint32, 10))
	s.must(t, "queries", dims(1, 1), dims(1, 1), flat, volume, layers, out)
	want := []uint32{6, 5, 0x10db, 0x10b2, 4, 3, 2, 2, 7, 5} // CL_UNSIGNED_INT16, CL_RG
	expect(t, download(t, s.Device, out, 10), func(i int) uint32 { return want[i] })
}

func TestNumbersBecomeNormalisedIntegersToNearest(t *testing.T) {
	s := newImageScript(t)
	image, address := s.image(t, memory.Texture{Width: 2, Height: 1, Channels: 4, Element: ptx.U8}, make([]uint32, 2))
	values := upload(t, s.Device, "values", floatWords(-1, 0.5, 1.0/255, 2, 0.25, 1, float32(math.NaN()), 0.1))
	s.must(t, "to_bytes", dims(1, 1), dims(2, 1), image, values)
	got := download(t, s.Device, address, 2)
	if got[0] != 0xff_01_80_00 || got[1] != 0x1a_00_ff_40 { // 127.5 to even, 63.75 up, 25.5 to even
		t.Errorf("texels %#x", got)
	}
}

func floatWords(values ...float32) []uint32 {
	words := make([]uint32, len(values))
	for i, v := range values {
		words[i] = math.Float32bits(v)
	}
	return words
}

func TestImageCallsThatCannotBeAreFaults(t *testing.T) {
	s := newImageScript(t)
	float, _ := s.image(t, memory.Texture{Width: 8, Height: 4, Channels: 1, Element: ptx.F32}, ramp(8, 4))
	volume, _ := s.image(t, memory.Texture{Width: 2, Height: 4, Depth: 4, Channels: 1, Element: ptx.F32}, ramp(8, 4))
	words, _ := s.image(t, memory.Texture{Width: 8, Height: 4, Channels: 1, Element: ptx.U32}, ramp(8, 4))
	at := upload(t, s.Device, "at", make([]uint32, 8))
	for name, c := range map[string]struct {
		err    error
		kind   coexecution.FaultKind
		detail string
	}{
		"outside":       {s.launch(t, "transpose_image", dims(1, 1), dims(8, 4), float, float), coexecution.FaultOutOfBounds, "write_imagef at (0, 4, 0) of image image of 8 x 4 x 1 texels"},
		"dimensions":    {s.launch(t, "transpose_image", dims(1, 1), dims(1, 1), volume, float), coexecution.FaultTexture, "read_imagef of 2 dimensions"},
		"element":       {s.launch(t, "transpose_image", dims(1, 1), dims(1, 1), words, float), coexecution.FaultTexture, "read_imagef on image image of .u32"},
		"no image":      {s.launch(t, "transpose_image", dims(1, 1), dims(1, 1), uint64(0), float), coexecution.FaultTexture, "no texture is bound"},
		"no sampler":    {s.launch(t, "sample_image", dims(1, 1), dims(1, 1), float, uint64(0x7777), at, at), coexecution.FaultTexture, "0x7777 is no sampler"},
		"repeats texel": {s.launch(t, "sample_image", dims(1, 1), dims(1, 1), float, uint64(0x16), at, at), coexecution.FaultTexture, "without normalised coordinates"},
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, c.err, c.kind, c.detail) })
	}
}
