// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"testing"

	"github.com/warptape/warptape/frontend/emulator/memory"
)

// Places in constant memory are given again to buffers of the same size, so that a
// program that makes and frees buffers all the time does not use them up. A buffer
// keeps its place, and gets what it holds now.
func TestPlacesOfConstantsAreGivenAgain(t *testing.T) {
	d := NewDevice(Options{})
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
	if got := download(t, d, memory.ConstWindowBase+first, 2); got[0] != 9 || got[1] != 2 {
		t.Errorf("the copy holds %v", got)
	}
	if err := d.Free(a); err != nil {
		t.Fatal(err)
	}
	if err := d.Read(memory.ConstWindowBase+first, make([]byte, 8)); err == nil {
		t.Error("the copy of a freed buffer can be read")
	}
	if _, other := place([]uint32{5, 6, 7}); other == first {
		t.Error("a place of another size is given again")
	}
	if _, again := place([]uint32{5, 6}); again != first {
		t.Errorf("the place %d is not given again, but %d", first, again)
	}
	for _, b := range d.Buffers() {
		if b.Constant && b.Address == memory.ConstWindowBase+first && b.Name != "w" {
			t.Errorf("the place is named %s", b.Name)
		}
	}
}
