// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"

	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// Pushed is what a push did.
type Pushed struct {
	Reference  store.Reference // with tag
	Manifest   string          // lower-case hex SHA-256 of the manifest
	FileDigest string          // and of the file
	Bytes      int64           // of the file
	Parts      int
	SentBytes  int64 // less than Bytes where the registry had parts already
}

// Push verifies a trace file and makes it available under a tag, and under
// contentTag with its content digest. What the registry has is not sent again, so a
// push that was interrupted continues.
func Push(ctx context.Context, path string, ref store.Reference, options Options) (Pushed, error) {
	if ref.Digest != "" {
		return Pushed{}, fmt.Errorf("%s: push to a tag; the digest follows from the trace", ref)
	}
	c, err := newClient(ref, options)
	if err != nil {
		return Pushed{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return Pushed{}, err
	}
	defer file.Close()
	a, err := readArtifact(path, file, c.options.PartBytes)
	if err != nil {
		return Pushed{}, err
	}
	p := Pushed{Reference: ref, Manifest: a.manifest.Digest.Encoded(), FileDigest: a.config.FileDigest, Bytes: a.config.FileBytes, Parts: len(a.parts)}
	p.Reference.Tag = ref.Effective()
	if err := c.checkTag(ctx, p.Reference.Tag, a); err != nil {
		return p, c.explain(err)
	}
	if p.SentBytes, err = c.pushArtifact(ctx, p.Reference.Tag, a, file); err != nil {
		return p, c.explain(err)
	}
	return p, nil
}

// readArtifact verifies the trace and digests its file.
func readArtifact(path string, file *os.File, partBytes int64) (*artifact, error) {
	r, err := wtape.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := verification.Verify(r); err != nil {
		return nil, fmt.Errorf("a damaged trace is not shared: %w", err)
	}
	return newArtifact(r, file, partBytes)
}

// checkTag protects what others may refer to by the tag.
func (c *client) checkTag(ctx context.Context, tag string, a *artifact) error {
	have, err := c.repo.Manifests().Resolve(ctx, tag)
	if errors.Is(err, errdef.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if have.Digest != a.manifest.Digest && !c.options.Move {
		return &localError{fmt.Errorf("the tag is taken by another artifact, %s; choose another tag, or use --force to move it", have.Digest)}
	}
	return nil
}

func (c *client) pushArtifact(ctx context.Context, tag string, a *artifact, file io.ReaderAt) (sent int64, err error) {
	at := int64(0)
	for i, part := range a.parts {
		c.options.Progress(at, a.config.FileBytes)
		what := fmt.Sprintf("part %d of %d", i+1, len(a.parts))
		n, err := c.pushBlob(ctx, what, part, func() io.Reader { return c.counted(io.NewSectionReader(file, at, part.Size), at, a.config.FileBytes) })
		sent += n
		if err != nil {
			return sent, err
		}
		at += part.Size
	}
	if _, err := c.pushBlob(ctx, "the config", a.settings.Descriptor, a.settings.reader); err != nil {
		return sent, err
	}
	c.options.Progress(at, a.config.FileBytes)
	for _, t := range []string{contentTag + a.config.ContentDigest, tag} {
		err := c.persist(ctx, "the manifest", func() (bool, error) {
			return false, c.repo.Manifests().PushReference(ctx, a.manifest.Descriptor, a.manifest.reader(), t)
		})
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// pushBlob sends a blob that the registry lacks and returns the bytes sent in the
// attempt that succeeded.
func (c *client) pushBlob(ctx context.Context, what string, d ocispec.Descriptor, content func() io.Reader) (sent int64, err error) {
	var blobs registry.BlobStore = c.repo.Blobs()
	err = c.persist(ctx, what, func() (bool, error) {
		if exists, err := blobs.Exists(ctx, d); err != nil || exists {
			return false, err
		}
		if err := blobs.Push(ctx, d, content()); err != nil {
			return false, err
		}
		sent = d.Size
		return true, nil
	})
	return sent, err
}

// counted reports progress of a part that starts at an offset of the file.
func (c *client) counted(r io.Reader, at, total int64) io.Reader {
	return &countedReader{r, at, total, c.options.Progress}
}

type countedReader struct {
	io.Reader
	at, total int64
	progress  func(done, total int64)
}

func (r *countedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.at += int64(n)
	r.progress(r.at, r.total)
	return n, err
}
