// SPDX-License-Identifier: Apache-2.0

package image

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/frontend/tesla/language"
)

const program = ".grid 4 2 1\n.block 40\n.params 9\n.const 5\n.data 6 7\nADD r1, r2, r3\nEXIT"

// The words of Table 4.3, by hand: sizes less one of ten bits each, x lowest.
const words = `000000403
100000027
200000009
300221803
3fc000000
400000005
500000006
500000007
600000002
700000008
f00000000
`

func TestAnImageHasTheWordsOfTheTable(t *testing.T) {
	k, err := language.Assemble("k", program)
	if err != nil {
		t.Fatal(err)
	}
	image := Of(k)
	if diff := cmp.Diff(words, Format(image)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := LoadCycles(image); n != 10 {
		t.Errorf("loading takes %d cycles, want 10", n)
	}
	back, again, err := Read("k", words)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(image, back); diff != "" {
		t.Error(diff)
	}
	again.Lines, again.WarpsImplied = k.Lines, true // an image says it
	if diff := cmp.Diff(k, again); diff != "" {
		t.Errorf("read back (-written +read):\n%s", diff)
	}
}

func TestBadImagesAreRefusedWithTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		strings.TrimSuffix(words, "f00000000\n"): "k:11: the image ends without START: it is cut",
		words[:len(words)-5]:                     `k:11: "f0000" is no word`, // cut inside a word
		words + "500000001":                      "k:12: word 500000001 stands behind START",
		"000000403\n000000403":                   "k:2: the image has GRID twice",
		"8000000000":                             `k:1: "8000000000" is no word of an image, which has 9 hexadecimal digits`,
		"800000000":                              "k:1: no word has the operation 8",
		"x":                                      `k:1: "x" is no word`,
		"300000000\n30000000d":                   "k:2: word 0000000d: no instruction has the function code 13",
		"0c0000000":                              "k:1: GRID c0000000: the sizes are ten bits",
		"600000010":                              "k:1: WARP is 16; it is 1 to 15",
		"600000000":                              "k:1: WARP is 0",
		"700000021":                              "k:1: REG is 33",
		"000000000 100000000 3fc000000 700000008\nf00000000":      "k:2: the image has no WARP before START",
		"000000000 100000000 600000001 700000008 f00000000 // it": "k:1: the image has no INSTR before START",
	} {
		_, _, err := Read("k", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(words)
	f.Add("000000000 100000000 3fc000000 600000001 700000008 f00000000")
	f.Fuzz(func(t *testing.T, text string) {
		list, k, err := Read("k", text)
		if err != nil {
			return
		}
		again, same, err := Read("k", Format(list))
		if err != nil || len(again) != len(list) {
			t.Fatalf("written and read again: %v", err)
		}
		_ = k.Check(language.Reference)
		if diff := cmp.Diff(k.Words(), same.Words()); diff != "" {
			t.Fatal(diff)
		}
		if _, _, err := Read("k", Format(Of(k))); err != nil {
			t.Fatalf("the image of what was read: %v", err)
		}
	})
}
