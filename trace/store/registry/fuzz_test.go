// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"os"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/wtape"
)

// artifactOf makes the artifact of a recorded trace.
func artifactOf(tb testing.TB, path string, partBytes int64) *artifact {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	r, err := wtape.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	a, err := newArtifact(r, f, partBytes)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestManyPartsBecomeLargerOnes(t *testing.T) {
	a := artifactOf(t, "../../../traces/recorded/streamcluster.wtape", 10)
	if n := len(a.parts); n > maxParts || n < maxParts/2 {
		t.Errorf("%d parts", n)
	}
	m, err := parseManifest(a.manifest.content)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkSizes(&m, &a.config.Identity); err != nil {
		t.Error(err)
	}
}

// What a registry says is taken or refused, and what is taken adds up.
func FuzzManifest(f *testing.F) {
	a := artifactOf(f, "../../../traces/recorded/saxpy.wtape", 1000)
	f.Add(a.manifest.content, a.settings.content)
	f.Add([]byte(strings.Replace(string(a.manifest.content), `"size":1000`, `"size":9223372036854775807`, 2)), a.settings.content)
	f.Add([]byte("{}"), []byte("{}"))
	f.Add([]byte("[]"), []byte(`{"file_bytes": -1}`))
	f.Fuzz(func(t *testing.T, manifest, config []byte) {
		m, err := parseManifest(manifest)
		if err != nil {
			return
		}
		id, err := parseIdentity(config)
		if err != nil || checkSizes(&m, &id) != nil {
			return
		}
		sum := int64(0)
		for _, l := range m.Layers {
			if l.Size <= 0 || l.Digest.Validate() != nil {
				t.Errorf("a part of %d bytes with digest %q", l.Size, l.Digest)
			}
			sum += l.Size
		}
		if sum != id.FileBytes {
			t.Errorf("parts of %d bytes for a file of %d", sum, id.FileBytes)
		}
	})
}
