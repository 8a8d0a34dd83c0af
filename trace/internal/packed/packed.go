// SPDX-License-Identifier: Apache-2.0

// Package packed opens files that other tools compress, by their suffix, within
// bounded memory.
package packed

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// Suffixes are those that NewWriter knows: none, or that of a program.
var Suffixes = []string{"", ".xz", ".gz", ".zst"}

// maxWindowBytes bounds what a compressed file can make its reader allot.
const maxWindowBytes = 256 << 20

// NewWriter returns a writer for one of Suffixes; closing it does not close out.
func NewWriter(suffix string, out io.Writer) (io.WriteCloser, error) {
	switch suffix {
	case ".xz":
		return xz.NewWriter(out)
	case ".gz":
		return gzip.NewWriterLevel(out, gzip.BestCompression)
	case ".zst":
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	}
	return nopCloser{out}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Open opens a file for reading, decompressed by its suffix: .xz, .gz, .zst, .bz2,
// anything else as it is.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &File{file: f}
	in := bufio.NewReaderSize(f, 64<<10)
	switch {
	case strings.HasSuffix(path, ".xz"):
		if err = errors.Join(checkDictionary(in), checkFooter(f)); err == nil {
			t.Reader, err = xz.ReaderConfig{DictCap: 1 << 20}.NewReader(in)
		}
	case strings.HasSuffix(path, ".gz"):
		t.Reader, err = gzip.NewReader(in)
	case strings.HasSuffix(path, ".zst"):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindowBytes)); err == nil {
			t.Reader, t.zstd = z, z
		}
	case strings.HasSuffix(path, ".bz2"):
		t.Reader = bzip2.NewReader(in)
	default:
		t.Reader = in
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return t, nil
}

// checkDictionary refuses an xz file whose first block wants a larger dictionary
// than maxWindowBytes (xz -9 wants 64 MiB): the decoder allots what the file says.
// The file format: a stream header of 12 bytes, then size, flags, up to two sizes
// as varints, and the filter list of the block (xz file format 1.0.4, 3.1).
func checkDictionary(in *bufio.Reader) error {
	b, _ := in.Peek(12 + 2 + 2*9 + 3) // a shorter file is left to the decoder
	if len(b) < 12+2+3 {
		return nil
	}
	flags, rest := b[13], b[14:]
	for _, present := range []bool{flags&0x40 != 0, flags&0x80 != 0} {
		for i := 0; present && len(rest) > 0 && i < 9; i++ {
			more := rest[0]&0x80 != 0
			if rest = rest[1:]; !more {
				break
			}
		}
	}
	if len(rest) < 3 || rest[0] != lzma2Filter {
		return nil
	}
	size, err := lzma.DecodeDictCap(rest[2])
	if err == nil && size > maxWindowBytes {
		err = fmt.Errorf("a dictionary of %d bytes, %d are allowed: compress it with xz -9 or less", size, maxWindowBytes)
	}
	return err
}

// lzma2Filter is the filter's number in the xz file format.
const lzma2Filter = 0x21

// checkFooter refuses an xz file that does not end with a stream's footer: the decoder
// takes one that is cut off in front of a block for a whole one. The footer has 12
// bytes: a checksum of the next six, those, and "YZ" (xz file format 1.0.4, 2.1.2).
// Behind it are zeros, four by four.
func checkFooter(f *os.File) error {
	about, err := f.Stat()
	if err != nil {
		return err
	}
	end, err := beforeZeros(f, about.Size())
	if err != nil {
		return err
	}
	end += (about.Size() - end) % 4
	if b := make([]byte, 12); end >= int64(len(b)) {
		if _, err := f.ReadAt(b, end-int64(len(b))); err != nil {
			return err
		}
		if string(b[10:]) == "YZ" && binary.LittleEndian.Uint32(b) == crc32.ChecksumIEEE(b[4:10]) {
			return nil
		}
	}
	return errors.New("the xz file is cut off: it has no footer at its end")
}

// beforeZeros is where the zeros at the end of a file begin; size is the file's in bytes. It reads
// whole blocks, as a file may have gigabytes of zeros.
func beforeZeros(f io.ReaderAt, size int64) (int64, error) {
	block := make([]byte, 64<<10)
	for size > 0 {
		b := block[:min(size, int64(len(block)))]
		if _, err := f.ReadAt(b, size-int64(len(b))); err != nil {
			return 0, err
		}
		if left := len(bytes.TrimRight(b, "\x00")); left > 0 {
			return size - int64(len(b)-left), nil
		}
		size -= int64(len(b))
	}
	return 0, nil
}

// File is an open file; reading gives what it holds uncompressed.
type File struct {
	io.Reader
	file *os.File
	zstd *zstd.Decoder
}

// Close closes the file.
func (t *File) Close() error {
	if t.zstd != nil {
		t.zstd.Close()
	}
	return t.file.Close()
}
