// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	masked  = regexp.MustCompile(`and\.b32 %x32, %b32_\d+, (\d+);`)
	based   = regexp.MustCompile(`add\.u64 %x64, %x64, (%\w+);`)
	fetched = regexp.MustCompile(`^(?:@!?%\w+ )?((?:ld|st|atom|red|cp)\.[\w.:]+) .*\[(%slotg|%x64)(?:\+(\d+))?\](?:, (\d+))?`)
)

// bytesOf is how many bytes an access takes in a row: the width of its last type, times its vector.
func bytesOf(mnemonic string) int {
	bits, n := 0, 1
	for _, word := range strings.Split(mnemonic, ".") {
		switch {
		case word == "v2" || word == "v4" || word == "v8":
			n = int(word[1] - '0')
		case word == "f16x2" || word == "bf16x2":
			bits = 32
		case len(word) > 1 && strings.ContainsAny(word[:1], "bufs") && word[1] >= '0' && word[1] <= '9':
			bits, _ = strconv.Atoi(word[1:])
		case word == "bf16":
			bits = 16
		}
	}
	return bits / 8 * n
}

// Accesses to the input, by data, and to a thread's own memory stay inside, aligned to their size.
func TestAccessesStayInside(t *testing.T) {
	list := forms(t)
	checked, byData, input, slot := 0, 0, 0, 0
	for seed := range uint64(4) {
		lines := strings.Split(New(list, Options{Seed: seed, Statements: 120}).Text, "\n")
		mask, base := -1, ""
		for _, line := range lines {
			line = strings.TrimSpace(line)
			if m := masked.FindStringSubmatch(line); m != nil {
				mask, _ = strconv.Atoi(m[1])
				continue
			}
			if m := based.FindStringSubmatch(line); m != nil {
				base = m[1]
				continue
			}
			m := fetched.FindStringSubmatch(line)
			if m == nil {
				if strings.Contains(line, "%x64,") && !strings.HasSuffix(line, "%x64, %x32;") { // the address is another one
					mask = -1
				}
				continue
			}
			size, limit, at := bytesOf(m[1]), SlotBytes, 0
			if m[3] != "" {
				at, _ = strconv.Atoi(m[3])
			}
			first := at
			if strings.HasPrefix(m[1], "cp.") {
				size, _ = strconv.Atoi(m[4])
			}
			if m[2] == "%x64" {
				if mask < 0 || base != "%input" && base != "%slotg" {
					continue
				}
				byData++
				at += mask
				if mask%size != 0 {
					t.Errorf("seed %d: %q has a mask of %d", seed, line, mask)
				}
			}
			if base == "%input" && m[2] == "%x64" {
				limit, input = InputBytes, max(input, at+size)
			} else {
				slot = max(slot, at+size)
			}
			if checked++; size == 0 || at+size > limit || first%size != 0 {
				t.Errorf("seed %d: %q of %d bytes goes to %d, of %d", seed, line, size, at, limit)
			}
		}
	}
	if checked < 15 || byData < 4 || input < InputBytes/2 || slot < SlotBytes-16 {
		t.Errorf("%d accesses, %d by data, up to %d of the input and %d of a thread's", checked, byData, input, slot)
	}
}
