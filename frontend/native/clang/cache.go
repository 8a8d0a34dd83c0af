// SPDX-License-Identifier: Apache-2.0

package clang

import (
	"fmt"
	"os"
	"path/filepath"
)

// Cached gives the folder of the user's cache that has the name, a digest of what make
// puts into it. It appears when everything is in it: two commands may make it at once.
func Cached(kind, name string, make func(folder string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for what clang makes: %w", err)
	}
	parent := filepath.Join(cache, "warptape", kind)
	folder := filepath.Join(parent, name)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(parent, ".making-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := make(work); err != nil {
		return "", err
	}
	if err := os.Chmod(work, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(work, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			return "", err
		} // another command was first
	}
	return folder, nil
}
