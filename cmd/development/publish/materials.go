// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/warptape/warptape/cmd/internal/release"
)

// bill is a bill of materials in the form of CycloneDX 1.5.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`

	modules   []*debug.Module
	goVersion string
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// newBill begins the bill of a platform's archive with the compiler that built it.
func newBill(info *debug.BuildInfo, platform string, at time.Time) *bill {
	return &bill{
		Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata:   metadata{at.Format(time.RFC3339), component{Type: "application", Name: "warptape (" + platform + ")", Version: release.Number}},
		Components: []component{{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}},
		goVersion:  info.GoVersion,
	}
}

// add lists a program by its digest, and the libraries in it that are not listed yet.
func (b *bill) add(info *debug.BuildInfo, name string, binary []byte) {
	sum := sha256.Sum256(binary)
	b.Components = append(b.Components, component{Type: "file", Name: name, Version: release.Number, Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}})
	for _, m := range release.Modules(info) {
		if slices.ContainsFunc(b.modules, func(o *debug.Module) bool { return o.Path == m.Path }) {
			continue
		}
		b.modules = append(b.modules, m)
		b.Components = append(b.Components, component{
			Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version, Hashes: moduleHash(m.Sum),
		})
	}
}

func (b *bill) json() ([]byte, error) {
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// moduleHash is the SHA-256 in a module's sum ("h1:" and base64).
func moduleHash(sum string) []hash {
	digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil || len(digest) != sha256.Size {
		return nil
	}
	return []hash{{"SHA-256", hex.EncodeToString(digest)}}
}

// licenceFile is how the files are called in which modules have their licences.
var licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)([.-].*)?$`)

// vendored has the licences of what is part of pages, in a folder of the source tree.
const vendored = "cmd/report/page/vendor"

// licences are the texts of the licences of everything in an archive's programs.
func (t *tree) licences(ctx context.Context, of *bill) ([]byte, error) {
	var b bytes.Buffer
	goroot, err := t.output(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if err := appendLicences(&b, "Go and its standard library, "+of.goVersion, strings.TrimSpace(goroot)); err != nil {
		return nil, err
	}
	for _, m := range of.modules {
		folder, err := t.output(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return nil, err
		}
		if err := appendLicences(&b, m.Path+" "+m.Version, strings.TrimSpace(folder)); err != nil {
			return nil, err
		}
	}
	parts, err := filepath.Glob(filepath.Join(t.root, vendored, "*LICENSE*"))
	if err != nil {
		return nil, err
	}
	for _, path := range parts {
		if err := appendFile(&b, filepath.Base(path), path); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// appendLicences adds the licences in a module's folder, one at least.
func appendLicences(b *bytes.Buffer, title, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if e.Type().IsRegular() && licenceFile.MatchString(e.Name()) {
			found = true
			if err := appendFile(b, title+" ("+e.Name()+")", filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("%s: %s has no licence file; a release must not contain it", title, folder)
	}
	return nil
}

func appendFile(b *bytes.Buffer, title, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "==== %s ====\n\n%s\n\n", title, bytes.TrimSpace(text))
	return nil
}
