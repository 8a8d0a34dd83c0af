// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string
	text []byte
	mode int64
}

// archive builds for a platform and writes its archive and its bill of materials.
func (t *tree) archive(ctx context.Context, work, folder, platform string, pages []page) error {
	var entries []entry
	var bill *bill
	for i := range programs {
		p := &programs[i]
		if p.linux && !strings.HasPrefix(platform, "linux/") {
			continue
		}
		path := filepath.Join(work, p.name)
		if err := t.build(ctx, p, platform, path); err != nil {
			return err
		}
		binary, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		entries = append(entries, entry{p.name + suffixOf(platform), binary, 0o755})
		if bill == nil {
			bill = newBill(info, platform, t.committed)
		}
		bill.add(info, p.name, binary)
	}
	licences, err := t.licences(ctx, bill)
	if err != nil {
		return err
	}
	entries = append(entries, entry{"THIRD-PARTY-LICENCES", licences, 0o644})
	for _, doc := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(t.root, doc))
		if err != nil {
			return err
		}
		entries = append(entries, entry{doc, text, 0o644})
	}
	for _, p := range pages {
		entries = append(entries, entry{p.name, p.text, 0o644})
	}
	write, suffix := writeTar, ".tar.gz"
	if suffixOf(platform) != "" {
		write, suffix = writeZip, ".zip"
	}
	var b bytes.Buffer
	if err := write(&b, base(platform), entries, t.committed); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, base(platform)+suffix), b.Bytes(), 0o644); err != nil {
		return err
	}
	text, err := bill.json()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, base(platform)+".cdx.json"), text, 0o644)
}

// suffixOf is what a platform puts behind a program's name.
func suffixOf(platform string) string {
	if strings.HasPrefix(platform, "windows/") {
		return ".exe"
	}
	return ""
}

// writeTar writes entries below a folder; owner and times say nothing of this machine.
func writeTar(w io.Writer, folder string, entries []entry, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: folder + "/" + e.name, Mode: e.mode, Size: int64(len(e.text)), ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		if _, err := out.Write(e.text); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(w io.Writer, folder string, entries []entry, at time.Time) error {
	out := zip.NewWriter(w)
	for _, e := range entries {
		f, err := out.CreateHeader(&zip.FileHeader{Name: folder + "/" + e.name, Method: zip.Deflate, Modified: at})
		if err != nil {
			return err
		}
		if _, err := f.Write(e.text); err != nil {
			return err
		}
	}
	return out.Close()
}

// writeChecksums writes the SHA-256 of every file of a folder, as sha256sum checks them.
func writeChecksums(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&b, "%s  %s\n", hex.EncodeToString(sum[:]), f.Name())
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(b.String()), 0o644)
}
