// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/warptape/warptape/trace"
)

// Identity is what must arrive. Digests are lower-case hex SHA-256.
type Identity struct {
	FileDigest    string `json:"file_digest"`
	FileBytes     int64  `json:"file_bytes"`
	ContentDigest string `json:"content_digest"` // whatever the compression
}

// Config is the config blob of an artifact. Arriving, only the identity is read: the
// trace itself has the rest.
type Config struct {
	Identity
	Header trace.Header `json:"header"`
	Totals trace.Totals `json:"totals"`
}

var digestPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

// parseIdentity reads a config blob.
func parseIdentity(text []byte) (Identity, error) {
	var id Identity
	if err := json.Unmarshal(text, &id); err != nil {
		return id, fmt.Errorf("its config is no JSON of a trace: %w", err)
	}
	if !digestPattern().MatchString(id.FileDigest) || !digestPattern().MatchString(id.ContentDigest) || id.FileBytes <= 0 {
		return id, fmt.Errorf("its config lacks the digests or the size of the trace")
	}
	return id, nil
}

// The keys of our annotations, in the reverse domain notation that the OCI image
// specification asks for ("Annotations").
const annotation = "com.github.warptape.trace."

// maxListed bounds annotations that list things; the config has them all.
const maxListed = 16

// annotations are the provenance for people who look at the registry. Nothing is
// taken from them on arrival: the trace itself says it.
func (c *Config) annotations() map[string]string {
	h, t := &c.Header, &c.Totals
	all := map[string]string{
		ocispec.AnnotationTitle:                c.title(),
		ocispec.AnnotationDescription:          "Warptape trace of " + h.Program,
		annotation + "content-digest":          "sha256:" + c.ContentDigest,
		annotation + "file-digest":             "sha256:" + c.FileDigest,
		annotation + "file-bytes":              strconv.FormatInt(c.FileBytes, 10),
		annotation + "tool":                    h.Tool,
		annotation + "workload":                h.Program,
		annotation + "host-program-digest":     "sha256:" + h.ProgramDigest,
		annotation + "ptx-digests":             digests(c.Header.PTX),
		annotation + "data-digests":            digests(c.Header.Data),
		annotation + "size":                    h.Arguments["size"],
		annotation + "arguments":               c.arguments(),
		annotation + "seed":                    strconv.FormatUint(h.Seed, 10),
		annotation + "sampling":                h.Sampling,
		annotation + "total-launches":          strconv.FormatUint(t.Launches, 10),
		annotation + "total-thread-blocks":     strconv.FormatUint(t.ThreadBlocks, 10),
		annotation + "total-warp-insn":         strconv.FormatUint(t.WarpInstructions, 10),
		annotation + "total-thread-insn":       strconv.FormatUint(t.ThreadInstructions, 10),
		annotation + "total-memory-insn":       strconv.FormatUint(t.MemoryInstructions, 10),
		annotation + "total-bytes-to-device":   strconv.FormatUint(t.BytesToDevice, 10),
		annotation + "total-bytes-from-device": strconv.FormatUint(t.BytesToHost, 10),
	}
	for key, value := range all {
		if value == "" || value == "sha256:" {
			delete(all, key) // unknown, as the host program of an imported trace
		}
	}
	return all
}

// digests lists files.
func digests(files []trace.SourceDigest) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name+"=sha256:"+f.Digest)
	}
	return joined(list)
}

func (c *Config) arguments() string {
	var list []string
	for name, value := range c.Header.Arguments {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return joined(list)
}

func joined(list []string) string {
	if len(list) > maxListed {
		list = append(list[:maxListed:maxListed], fmt.Sprintf("and %d more", len(list)-maxListed))
	}
	text := strings.Join(list, " ")
	if len(text) > 4096 {
		text = text[:4096] + "..."
	}
	return text
}

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`) })

// title is the file name that other OCI tools give to the trace.
func (c *Config) title() string {
	if plainName().MatchString(c.Header.Program) {
		return c.Header.Program + ".wtape"
	}
	return "trace.wtape"
}
