// SPDX-License-Identifier: Apache-2.0

package hugepages

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// advised reports whether the system says that an address lies in memory with the flag for
// huge pages (proc(5), VmFlags).
func advised(t *testing.T, address uintptr) bool {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= address && address < to
		}
		if inside && strings.HasPrefix(lines.Text(), "VmFlags:") {
			return strings.Contains(lines.Text(), " hg")
		}
	}
	return false
}

func address[T any](s []T, i int) uintptr { return uintptr(unsafe.Pointer(&s[:cap(s)][i])) }

func TestLargeMemoryIsBackedByHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("this system has no transparent huge pages")
	}
	var kept [][]uint64
	for round := range 5 {
		s := Back(make([]uint64, 10, 3<<20/8*(round+1)))
		kept = append(kept, s)
		for _, i := range []int{0, cap(s) / 2, cap(s) - 1} {
			if !advised(t, address(s, i)) {
				t.Errorf("element %d of %d of slice %d is in memory without huge pages", i, cap(s), round)
			}
		}
		if len(s) != 10 {
			t.Errorf("a slice of 10 elements came back with %d", len(s))
		}
	}
	large := Back(make([]byte, 5*most))
	if advised(t, address(large, len(large)/2)) {
		t.Error("what a program may not fill is in memory with huge pages")
	}
	_ = kept
}

func TestManySmallSlicesAreBackedByHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("this system has no transparent huge pages")
	}
	var kept [][]uint64
	for range 1000 {
		kept = append(kept, BackPart(make([]uint64, 1024)))
	}
	for _, k := range []int{0, 500, 999} {
		if s := kept[k]; !advised(t, address(s, 0)) || !advised(t, address(s, len(s)-1)) {
			t.Errorf("slice %d is in memory without huge pages", k)
		}
	}
}

func TestEmptySlicesNeedNoPages(t *testing.T) {
	if s := Back([]uint32(nil)); s != nil {
		t.Errorf("nil became %v", s)
	}
	if s := Back(make([]struct{}, 1<<20)); len(s) != 1<<20 {
		t.Errorf("%d elements", len(s))
	}
}
