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
	name := "warptape"
	if strings.HasPrefix(platform, "windows/") {
		name += ".exe"
	}
	path := filepath.Join(work, name)
	if err := t.build(ctx, platform, path); err != nil {
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
	licences, err := t.licences(ctx, info)
	if err != nil {
		return err
	}
	entries := []entry{{name, binary, 0o755}, {"THIRD-PARTY-LICENCES", licences, 0o644}}
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
	if strings.HasSuffix(name, ".exe") {
		write, suffix = writeZip, ".zip"
	}
	var b bytes.Buffer
	if err := write(&b, base(platform), entries, t.committed); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, base(platform)+suffix), b.Bytes(), 0o644); err != nil {
		return err
	}
	bill, err := billOfMaterials(info, platform, t.committed, binary)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, base(platform)+".cdx.json"), bill, 0o644)
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
