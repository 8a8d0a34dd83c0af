// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/warptape/warptape/trace/wtape"
)

// artifact is everything that a push sends.
type artifact struct {
	config   Config
	parts    []ocispec.Descriptor // of the file's bytes, in order
	manifest blob
	settings blob // the config
}

// blob is a small blob with its descriptor.
type blob struct {
	ocispec.Descriptor
	content []byte
}

func newBlob(mediaType string, content []byte) blob {
	return blob{ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(content), Size: int64(len(content))}, content}
}

// newArtifact reads a verified trace file once for its digests.
func newArtifact(r *wtape.Reader, file io.ReaderAt, partBytes int64) (*artifact, error) {
	a := &artifact{config: Config{Identity: Identity{FileBytes: r.Size(), ContentDigest: r.Digest()}, Header: r.Header(), Totals: r.Totals()}}
	if err := a.split(file, partBytes); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), err)
	}
	text, err := json.Marshal(&a.config)
	if err != nil {
		return nil, err
	}
	if len(text) > maxConfigBytes {
		return nil, fmt.Errorf("%s: its provenance takes %d bytes, at most %d can be shared", r.Name(), len(text), maxConfigBytes)
	}
	a.settings = newBlob(ConfigType, text)
	text, err = json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: ArtifactType,
		Config: a.settings.Descriptor, Layers: a.parts, Annotations: a.config.annotations(),
	})
	if err != nil {
		return nil, err
	}
	if len(text) > maxManifestBytes {
		return nil, fmt.Errorf("%s: BUG: a manifest of %d bytes", r.Name(), len(text))
	}
	a.manifest = newBlob(ocispec.MediaTypeImageManifest, text)
	a.manifest.ArtifactType = ArtifactType
	return a, nil
}

// split digests the file and its parts.
func (a *artifact) split(file io.ReaderAt, partBytes int64) error {
	size := a.config.FileBytes
	for size > partBytes*maxParts {
		partBytes *= 2
	}
	whole := sha256.New()
	for at := int64(0); at < size; at += partBytes {
		part := sha256.New()
		n := min(partBytes, size-at)
		if _, err := io.Copy(io.MultiWriter(whole, part), io.NewSectionReader(file, at, n)); err != nil {
			return err
		}
		a.parts = append(a.parts, ocispec.Descriptor{
			MediaType: PartType, Digest: digest.NewDigest(digest.SHA256, part), Size: n,
		})
	}
	a.config.FileDigest = hex.EncodeToString(whole.Sum(nil))
	for i := range a.parts {
		title := a.config.title()
		if len(a.parts) > 1 {
			title = fmt.Sprintf("%s.%04d", title, i) // cat puts them together
		}
		a.parts[i].Annotations = map[string]string{ocispec.AnnotationTitle: title}
	}
	return nil
}

// parseManifest reads a manifest and refuses what is no trace, saying what it is.
func parseManifest(text []byte) (ocispec.Manifest, error) {
	var m ocispec.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("its manifest is no JSON: %w", err)
	}
	if m.MediaType != ocispec.MediaTypeImageManifest || m.ArtifactType != ArtifactType || m.Config.MediaType != ConfigType {
		what := m.MediaType
		if m.ArtifactType != "" {
			what = m.ArtifactType
		} else if m.Config.MediaType != "" {
			what = m.Config.MediaType
		}
		return m, fmt.Errorf("it is no Warptape trace but %q (a trace is %q)", what, ArtifactType)
	}
	if m.Config.Size <= 0 || m.Config.Size > maxConfigBytes || m.Config.Digest.Validate() != nil {
		return m, fmt.Errorf("its config has %d bytes or a bad digest", m.Config.Size)
	}
	if n := len(m.Layers); n == 0 || n > maxParts {
		return m, fmt.Errorf("it has %d parts; there are 1 to %d", n, maxParts)
	}
	for i, l := range m.Layers {
		if l.MediaType != PartType {
			return m, fmt.Errorf("part %d is %q, not %q", i, l.MediaType, PartType)
		}
		if l.Size <= 0 || l.Digest.Validate() != nil || l.Digest.Algorithm() != digest.SHA256 {
			return m, fmt.Errorf("part %d has %d bytes or a bad digest", i, l.Size)
		}
	}
	return m, nil
}

// checkSizes compares the parts with the file that they are to make.
func checkSizes(m *ocispec.Manifest, id *Identity) error {
	left := id.FileBytes
	for _, l := range m.Layers {
		if l.Size > left { // also what would overflow a sum
			left = -1
			break
		}
		left -= l.Size
	}
	if left != 0 {
		return errors.New("its parts do not add up to the size of the trace")
	}
	return nil
}

func (b *blob) reader() io.Reader { return bytes.NewReader(b.content) }
