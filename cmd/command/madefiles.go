// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"io/fs"
	"time"
)

// madeFiles is a folder with files in memory in addition to, or instead of, its own.
type madeFiles struct {
	made   map[string][]byte
	folder fs.FS
}

// Open finds what was made first.
func (f madeFiles) Open(name string) (fs.File, error) {
	if text, ok := f.made[name]; ok {
		return &madeFile{Reader: bytes.NewReader(text), name: name}, nil
	}
	return f.folder.Open(name)
}

// madeFile is a file in memory, and what is known of it.
type madeFile struct {
	*bytes.Reader
	name string
}

func (f *madeFile) Stat() (fs.FileInfo, error) { return madeInfo{f.name, f.Size()}, nil }
func (f *madeFile) Close() error               { return nil }

type madeInfo struct {
	name string
	size int64
}

func (i madeInfo) Name() string     { return i.name }
func (i madeInfo) Size() int64      { return i.size }
func (madeInfo) Mode() fs.FileMode  { return 0o444 }
func (madeInfo) ModTime() time.Time { return time.Time{} }
func (madeInfo) IsDir() bool        { return false }
func (madeInfo) Sys() any           { return nil }
