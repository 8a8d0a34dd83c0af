// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"errors"
	"fmt"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"

	"github.com/warptape/warptape/trace/store"
)

// Pulled is what a pull did.
type Pulled struct {
	Entry     store.Entry
	Reference store.Reference // as the store knows it now
	Manifest  string          // lower-case hex SHA-256
	// FetchedBytes is what was downloaded: nothing where the store had the trace, the
	// rest where an earlier pull was interrupted.
	FetchedBytes int64
}

// Pull downloads a trace into the store, verifies it and tags it with the reference.
// A reference by digest may give the manifest's or the content's. A pull that was
// interrupted continues; several at once download once. What turns out to be damaged
// is not kept.
func Pull(ctx context.Context, s *store.Store, ref store.Reference, options Options) (Pulled, error) {
	c, err := newClient(ref, options)
	if err != nil {
		return Pulled{}, err
	}
	p, err := c.pull(ctx, s)
	if err != nil {
		return p, c.explain(err)
	}
	return p, nil
}

func (c *client) pull(ctx context.Context, s *store.Store) (Pulled, error) {
	f, err := c.find(ctx)
	if err != nil {
		return Pulled{}, err
	}
	p := Pulled{Reference: c.ref, Manifest: f.descriptor.Digest.Encoded()}
	var tag store.Reference // none by digest
	if c.ref.Digest == "" {
		p.Reference.Tag = c.ref.Effective()
		tag = p.Reference
	}
	if p.FetchedBytes, err = c.receive(ctx, s, f, tag); err != nil {
		return p, err
	}
	origin := store.Origin{Name: c.ref.Name(), Manifest: p.Manifest}
	if err := s.AddOrigin(f.identity.FileDigest, origin); err != nil {
		return p, &localError{err}
	}
	if p.Entry, err = s.Lookup(store.Reference{Digest: f.identity.FileDigest}); err != nil {
		return p, &localError{err}
	}
	return p, nil
}

// found is a trace of the registry.
type found struct {
	descriptor ocispec.Descriptor
	manifest   ocispec.Manifest
	identity   Identity
}

// find resolves the reference. A digest that is no manifest's is tried as that of a
// content.
func (c *client) find(ctx context.Context) (*found, error) {
	name, byContent := c.ref.Effective(), false
	if c.ref.Digest != "" {
		name = "sha256:" + c.ref.Digest
	}
	d, text, err := c.fetchReference(ctx, name)
	if errors.Is(err, errdef.ErrNotFound) && c.ref.Digest != "" {
		byContent = true
		d, text, err = c.fetchReference(ctx, contentTag+c.ref.Digest)
	}
	if err != nil {
		return nil, err
	}
	f := &found{descriptor: d}
	if f.manifest, err = parseManifest(text); err != nil {
		return nil, err
	}
	if text, err = content.FetchAll(ctx, c.repo.Blobs(), f.manifest.Config); err != nil {
		return nil, fmt.Errorf("its config: %w", err)
	}
	if f.identity, err = parseIdentity(text); err != nil {
		return nil, err
	}
	if byContent && f.identity.ContentDigest != c.ref.Digest {
		return nil, fmt.Errorf("the registry gives another content, sha256:%s", f.identity.ContentDigest)
	}
	return f, checkSizes(&f.manifest, &f.identity)
}

func (c *client) fetchReference(ctx context.Context, name string) (ocispec.Descriptor, []byte, error) {
	d, body, err := c.repo.Manifests().FetchReference(ctx, name)
	if err != nil {
		return d, nil, err
	}
	defer body.Close()
	if d.Size > maxManifestBytes {
		return d, nil, fmt.Errorf("its manifest has %d bytes, more than the %d of any trace", d.Size, maxManifestBytes)
	}
	text, err := content.ReadAll(body, d)
	return d, text, err
}

// receive downloads the file unless the store has it, and tags it.
func (c *client) receive(ctx context.Context, s *store.Store, f *found, tag store.Reference) (fetched int64, err error) {
	waiting := func() { c.options.Notice("another process is downloading the same trace; waiting for it") }
	partial, err := s.Receive(ctx, f.identity.FileDigest, waiting)
	if err != nil {
		return 0, &localError{err}
	}
	if partial == nil {
		if tag.Repository != "" {
			err = s.SetTag(tag, f.identity.FileDigest)
		}
		if err != nil {
			return 0, &localError{err}
		}
		return 0, nil
	}
	defer partial.Close()
	d := download{client: c, partial: partial, parts: f.manifest.Layers, total: f.identity.FileBytes}
	if err := d.run(ctx); err != nil {
		return d.fetched, err
	}
	if err := partial.Check(f.identity.ContentDigest); err != nil {
		if e := partial.Truncate(0); e != nil {
			return d.fetched, &localError{e}
		}
		return d.fetched, fmt.Errorf("what arrived is not stored: %w", err)
	}
	if _, err := partial.Commit(tag); err != nil {
		return d.fetched, &localError{err}
	}
	return d.fetched, nil
}
