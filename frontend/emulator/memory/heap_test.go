// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// upload makes a buffer of words.
func upload(t testing.TB, d *Memory, name string, words []uint32) uint64 {
	t.Helper()
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	address, err := d.Allocate(name, uint64(len(data)))
	if err == nil {
		err = d.Write(address, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// download reads so many words.
func download(t testing.TB, d *Memory, address uint64, n int) []uint32 {
	t.Helper()
	data, words := make([]byte, 4*n), make([]uint32, n)
	if err := d.Read(address, data); err != nil {
		t.Fatal(err)
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

func TestBuffersLieOneAfterTheOther(t *testing.T) {
	d := New(4096)
	var got []uint64
	for _, n := range []uint64{1, 256, 257, 100} {
		a, err := d.Allocate("b", n)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, a)
	}
	if diff := cmp.Diff([]uint64{GlobalBase, GlobalBase + 256, GlobalBase + 512, GlobalBase + 1024}, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	if _, err := d.Allocate("big", 4000); err == nil || !strings.Contains(err.Error(), "buffer big: 4000 bytes do not fit into the 4096 bytes of device memory; 614 of them are in use") {
		t.Errorf("too large: %v", err)
	}
	if _, err := d.Allocate("none", 0); err == nil {
		t.Error("an empty buffer was allocated")
	}
}

func TestHostCopiesMustStayInsideOneBuffer(t *testing.T) {
	d := New(1 << 20)
	a := upload(t, d, "a", []uint32{1, 2, 3})
	for name, err := range map[string]error{
		"copy to the device of 8 bytes at 0xc0000008: 4 bytes past the end of buffer a (12 bytes)":                         d.Write(a+8, make([]byte, 8)),
		"copy from the device of 1 bytes at 0xbfffffff: 1 bytes before the start of buffer a (12 bytes)":                   d.Read(a-1, make([]byte, 1)),
		"fill of 18446744073709551615 bytes at 0xc0000000: 18446744073709551603 bytes past the end of buffer a (12 bytes)": d.Fill(a, 1, ^uint64(0)),
	} {
		if err == nil || err.Error() != name {
			t.Errorf("error %v, want %s", err, name)
		}
	}
	if err := d.Fill(a+4, 0xab, 4); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint32{1, 0xabababab, 3}, download(t, d, a, 3)); diff != "" {
		t.Errorf("after fill (-want +got):\n%s", diff)
	}
	if err := d.Free(a + 4); err == nil {
		t.Error("the middle of a buffer was freed")
	}
}

// Places in constant memory are given again to buffers of the same size, so that a
// program that makes and frees buffers all the time does not use them up. A buffer
// keeps its place, and gets what it holds now.
func TestPlacesOfConstantsAreGivenAgain(t *testing.T) {
	d := New(1 << 20)
	place := func(words []uint32) (buffer, offset uint64) {
		buffer = upload(t, d, "w", words)
		offset, err := d.ConstantCopy("w", buffer, uint64(4*len(words)))
		if err != nil {
			t.Fatal(err)
		}
		return buffer, offset
	}
	a, first := place([]uint32{1, 2})
	_, second := place([]uint32{3, 4})
	if err := d.Write(a, []byte{9}); err != nil {
		t.Fatal(err)
	}
	if again, err := d.ConstantCopy("w", a, 8); err != nil || again != first || second == first {
		t.Fatalf("places %d, %d and %d: %v", first, second, again, err)
	}
	if got := download(t, d, ConstWindowBase+first, 2); got[0] != 9 || got[1] != 2 {
		t.Errorf("the copy holds %v", got)
	}
	if err := d.Free(a); err != nil {
		t.Fatal(err)
	}
	if err := d.Read(ConstWindowBase+first, make([]byte, 8)); err == nil {
		t.Error("the copy of a freed buffer can be read")
	}
	if _, other := place([]uint32{5, 6, 7}); other == first {
		t.Error("a place of another size is given again")
	}
	used := d.Constant.Used()
	if _, again := place([]uint32{5, 6}); again != first || d.Constant.Used() != used+8 {
		t.Errorf("the place %d is not given again, but %d; %d bytes in use, %d before", first, again, d.Constant.Used(), used)
	}
	if used != 8+12 {
		t.Errorf("%d bytes in use by copies of 8 and 12", used)
	}
	constants := 0
	for _, b := range d.Buffers() {
		if b.Constant != InWindow(b.Address, ConstWindowBase) {
			t.Errorf("buffer %+v", b)
		}
		if b.Constant {
			constants++
		}
		if b.Constant && b.Address == ConstWindowBase+first && b.Name != "w" {
			t.Errorf("the place is named %s", b.Name)
		}
	}
	if constants != 3 {
		t.Errorf("%d copies of buffers, want 3", constants)
	}
	if _, err := d.ConstantCopy("w", upload(t, d, "wide", make([]uint32, constantRegionBytes/4+1)), constantRegionBytes+4); err == nil {
		t.Error("a buffer of more than a region has a copy")
	}
}

// Each constant buffer lies in one of ten regions of 64 KiB.
func TestConstantBuffersLieInRegions(t *testing.T) {
	const half = constantRegionBytes / 2
	for name, c := range map[string]struct {
		sizes []uint64
		fits  bool
	}{
		"a region each":     {slices.Repeat([]uint64{2 * half}, 10), true},
		"one too many":      {slices.Repeat([]uint64{2 * half}, 11), false},
		"halves":            {slices.Repeat([]uint64{half}, 20), true},
		"more than halves":  {slices.Repeat([]uint64{half + 1}, 11), false},
		"the first that is": {append(slices.Repeat([]uint64{half + 1}, 10), slices.Repeat([]uint64{half - 1}, 10)...), true},
		"none":              {nil, true},
	} {
		if err := CheckConstantBuffers(c.sizes); (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A buffer has its bytes as long as it lives, and its address for ever. Memory of the host is on an account of its own.
func TestBuffersComeAndGo(t *testing.T) {
	d := New(4096)
	a, b := upload(t, d, "a", []uint32{1, 2}), upload(t, d, "b", []uint32{3})
	host, err := d.Global.AllocateOfHost("h", 4000, AllocationAlign)
	if err != nil || d.Global.Used() != 12 {
		t.Fatalf("%d bytes in use, %v", d.Global.Used(), err)
	}
	if _, err := d.Global.AllocateOfHost("more", 97, AllocationAlign); err == nil || !strings.Contains(err.Error(), "4000 of them are in use") {
		t.Errorf("more of the host than the device has: %v", err)
	}
	if err := d.Free(a); err != nil {
		t.Fatal(err)
	}
	if err := d.Free(a); err == nil || !strings.Contains(err.Error(), "buffer a was freed before") {
		t.Errorf("freed twice: %v", err)
	}
	if n := d.Global.Used(); n != 4 || d.Global.Find(a, 1) != nil || d.Global.Find(b, 4) == nil {
		t.Errorf("%d bytes in use", n)
	}
	if detail, freed := d.Global.Describe(a+4, 4); !freed || detail != "offset 4 of buffer a (8 bytes), which was freed" {
		t.Errorf("%s, %t", detail, freed)
	}
	if detail, freed := d.Global.Describe(a+8, 4); freed || detail != "4 bytes past the end of buffer a (8 bytes)" {
		t.Errorf("%s, %t", detail, freed)
	}
	if err := d.Free(host.Base); err != nil || d.Global.Used() != 4 {
		t.Errorf("%d bytes in use, %v", d.Global.Used(), err)
	}
	if _, err := d.Global.AllocateOfHost("h", 4096, AllocationAlign); err != nil {
		t.Error(err)
	}
	var names []string
	for _, x := range d.Buffers() {
		names = append(names, x.Name)
	}
	if want := []string{"b", "h"}; !slices.Equal(names, want) {
		t.Errorf("buffers %v, want %v", names, want)
	}
	if next := d.Global.Next(512); next%512 != 0 || next < host.Base+4000+4096 || next >= host.Base+4000+4096+2*512 {
		t.Errorf("the next buffer begins at 0x%x", next)
	}
	if got := download(t, d, b, 1); got[0] != 3 {
		t.Errorf("buffer b holds %v", got)
	}
}
