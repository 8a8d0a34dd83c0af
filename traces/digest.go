// SPDX-License-Identifier: Apache-2.0

package traces

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
)

// Digest is the lower-case hex SHA-256 over the workload's CUDA C, PTX and host
// programs. It is over "name, a zero byte, length in decimal, a zero byte, content"
// of each, by name. What a workload does can change only when its digest does, or
// with the front end.
func (w Workload) Digest() (string, error) {
	files, err := fs.ReadDir(w.Files, ".")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, file := range files {
		switch path.Ext(file.Name()) {
		case ".cu", ".ptx", ".star":
		default:
			continue
		}
		text, err := fs.ReadFile(w.Files, file.Name())
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s\x00%d\x00", file.Name(), len(text))
		hash.Write(text)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
