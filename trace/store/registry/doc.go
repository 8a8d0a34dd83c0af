// SPDX-License-Identifier: Apache-2.0

// Package registry moves traces between files, the local store and OCI registries.
//
// A trace is an OCI artifact (OCI image specification 1.1, "Guidelines for Artifact
// Usage"): an image manifest with artifactType ArtifactType, and a config blob of
// ConfigType (see Config). The bytes of the .wtape file are one layer of PartType or,
// beyond Options.PartBytes, several that follow one another. The manifest is a
// function of the file and the part size alone, so pushing twice gives one digest.
//
// Parts are what makes transfers resumable on every registry. A blob that the
// registry has is not sent again, while upload sessions do not survive a cut
// connection on common registries. Within a part a download continues by a Range
// request.
package registry

// Media types of an artifact.
const (
	ArtifactType = "application/vnd.warptape.trace.v1"
	ConfigType   = "application/vnd.warptape.trace.config.v1+json"
	PartType     = "application/vnd.warptape.trace.part.v1"
)

// contentTag is the tag by which every push makes a trace known by the digest of its
// content, the one that results are stamped with: ContentTag + HEX.
const contentTag = "trace-"

// What is accepted of a registry.
const (
	maxManifestBytes = 4 << 20 // what registries must accept (OCI distribution specification 1.1, "Pushing Manifests")
	maxConfigBytes   = 16 << 20
	maxParts         = 1 << 13 // of some 300 bytes in the manifest each
)

// defaultPartBytes is the size of a part, unless the file has so many that parts
// must be larger: what is sent again after a cut is at most this.
const defaultPartBytes = 32 << 20
