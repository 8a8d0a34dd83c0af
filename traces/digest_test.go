// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/traces"
)

func TestDigestChangesWithEverySourceOfAWorkload(t *testing.T) {
	digest := func(change map[string]string) string {
		t.Helper()
		files := fstest.MapFS{}
		for name, text := range map[string]string{"w.cu": "c", "w.ptx": "p", "w.star": "s", "README.md": "r"} {
			if changed, ok := change[name]; ok {
				text = changed
			}
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		for name, text := range change {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		d, err := traces.Workload{Name: "w", Files: files}.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	original := digest(nil)
	seen := map[string]string{original: "nothing"}
	for _, change := range []map[string]string{
		{"w.cu": "d"}, {"w.ptx": "q"}, {"w.star": "t"}, {"other.ptx": "p"},
		{"w.cu": "cp", "w.ptx": ""}, {"w.cu": "", "w.ptx": "cp"},
	} {
		d := digest(change)
		if with, ok := seen[d]; ok {
			t.Errorf("with %v the digest is the same as with %s", change, with)
		}
		seen[d] = "another change"
	}
	if digest(map[string]string{"README.md": "x"}) != original {
		t.Error("the digest depends on the README")
	}
}

// The digest of a folder computed with other tools:
// printf 'w.cu\0001\000cw.star\0002\000ss' | sha256sum
func TestDigestIsTheHashOfNamesLengthsAndContents(t *testing.T) {
	w := traces.Workload{Files: fstest.MapFS{"w.star": {Data: []byte("ss")}, "w.cu": {Data: []byte("c")}}}
	const want = "66cb18a789337e52d8d728a4103857e55def5f23b301c5b6b42651683e3e8d9e"
	if got, err := w.Digest(); err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}
