// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/warptape/warptape/trace/store/registry"
	"github.com/warptape/warptape/trace/wtape"
)

// foreigner publishes artifacts that Push would not.
type foreigner struct {
	t    *testing.T
	repo *remote.Repository
}

func newForeigner(t *testing.T, name string) *foreigner {
	t.Helper()
	repo, err := remote.NewRepository(name)
	if err != nil {
		t.Fatal(err)
	}
	repo.PlainHTTP = true
	return &foreigner{t, repo}
}

func (f *foreigner) blob(mediaType string, content []byte) ocispec.Descriptor {
	f.t.Helper()
	d := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(content), Size: int64(len(content))}
	if err := f.repo.Blobs().Push(context.Background(), d, bytes.NewReader(content)); err != nil {
		f.t.Fatal(err)
	}
	return d
}

func (f *foreigner) manifest(mediaType string, m any) {
	f.t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		f.t.Fatal(err)
	}
	d := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(text), Size: int64(len(text))}
	if err := f.repo.PushReference(context.Background(), d, bytes.NewReader(text), "v1"); err != nil {
		f.t.Fatal(err)
	}
}

// publish makes an artifact of a file and a config that is to describe it.
func (f *foreigner) publish(file []byte, config registry.Config) {
	f.t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		f.t.Fatal(err)
	}
	m := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: registry.ArtifactType}
	m.SchemaVersion = 2
	m.Config = f.blob(registry.ConfigType, text)
	m.Layers = []ocispec.Descriptor{f.blob(registry.PartType, file)}
	f.manifest(m.MediaType, m)
}

func TestArtifactThatIsNoTraceIsRefused(t *testing.T) {
	isolate(t)
	host := shared.Empty(t).Host
	chart := newForeigner(t, host+"/chart")
	m := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest}
	m.SchemaVersion = 2
	m.Config = chart.blob("application/vnd.cncf.helm.config.v1+json", []byte("{}"))
	m.Layers = []ocispec.Descriptor{chart.blob("application/vnd.cncf.helm.chart.content.v1.tar+gzip", []byte("x"))}
	chart.manifest(m.MediaType, m)
	s := newStore(t)
	refused(t, s, host+"/chart:v1", quick(), "no Warptape trace", "application/vnd.cncf.helm.config.v1+json", registry.ArtifactType)

	index := newForeigner(t, host+"/index")
	i := ocispec.Index{MediaType: ocispec.MediaTypeImageIndex, Manifests: []ocispec.Descriptor{}}
	i.SchemaVersion = 2
	index.manifest(i.MediaType, i)
	refused(t, s, host+"/index:v1", quick(), "no Warptape trace", ocispec.MediaTypeImageIndex)
	if files := storedFiles(t, s); len(files) != 0 {
		t.Errorf("left in the store: %v", files)
	}
}

func TestTraceThatIsNotWhatItsConfigSaysIsRefused(t *testing.T) {
	isolate(t)
	host := shared.Empty(t).Host
	good, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(b []byte) string { h := sha256.Sum256(b); return hex.EncodeToString(h[:]) }
	cut := good[:len(good)-100]
	other := strings.Repeat("0", 64)
	content := contentDigest(t, small)
	for _, c := range []struct {
		name, want string
		file       []byte
		identity   registry.Identity
	}{
		{"content", "content digest", good, registry.Identity{FileDigest: sum(good), FileBytes: int64(len(good)), ContentDigest: other}},
		{"file", "the file has SHA-256", good, registry.Identity{FileDigest: other, FileBytes: int64(len(good)), ContentDigest: content}},
		{"cut", "cut off", cut, registry.Identity{FileDigest: sum(cut), FileBytes: int64(len(cut)), ContentDigest: content}},
		{"text", "no Warptape trace", []byte("hello"), registry.Identity{FileDigest: sum([]byte("hello")), FileBytes: 5, ContentDigest: content}},
		{"size", "do not add up", good, registry.Identity{FileDigest: sum(good), FileBytes: 1 << 40, ContentDigest: content}},
		{"nothing", "lacks the digests", good, registry.Identity{}},
	} {
		s := newStore(t)
		newForeigner(t, host+"/"+c.name).publish(c.file, registry.Config{Identity: c.identity})
		refused(t, s, host+"/"+c.name+":v1", quick(), c.want)
		if files := storedFiles(t, s); len(files) != 0 {
			t.Errorf("%s: left in the store: %v", c.name, files)
		}
	}
}

func TestAnnotationsTellTheProvenance(t *testing.T) {
	isolate(t)
	host := shared.Empty(t).Host
	push(t, small, host+"/trace:v1")
	_, body, err := newForeigner(t, host+"/trace").repo.FetchReference(context.Background(), "v1")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	var m ocispec.Manifest
	if err := json.NewDecoder(body).Decode(&m); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(small)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h := r.Header()
	for key, want := range map[string]string{
		"org.opencontainers.image.title":                "saxpy.wtape",
		"com.github.warptape.trace.content-digest":      "sha256:" + r.Digest(),
		"com.github.warptape.trace.workload":            "saxpy",
		"com.github.warptape.trace.tool":                h.Tool,
		"com.github.warptape.trace.seed":                "1",
		"com.github.warptape.trace.size":                h.Arguments["size"],
		"com.github.warptape.trace.total-launches":      "1",
		"com.github.warptape.trace.ptx-digests":         "saxpy.ptx=sha256:" + h.PTX[0].Digest,
		"com.github.warptape.trace.host-program-digest": "sha256:" + h.ProgramDigest,
	} {
		if got := m.Annotations[key]; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if _, ok := m.Annotations["com.github.warptape.trace.sampling"]; ok {
		t.Error("an annotation about sampling of a trace that is no sample")
	}
}
