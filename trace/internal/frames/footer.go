// SPDX-License-Identifier: Apache-2.0

package frames

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// Footer ends the file. Layout, little endian:
//
//	 0  u64       offset of the index frame
//	 8  u64       length of the index frame with its header
//	16  32 bytes  digest of the content
//	48  u32       major version, zero before version 3
//	52  u32       CRC-32C of bytes 0..51
//	56  8 bytes   "WTAPEND\n"
type Footer struct {
	IndexOffset, IndexLength uint64
	Digest                   [sha256.Size]byte
}

// The footer has FooterBytes.
const (
	FooterBytes = 64
	endMagic    = "WTAPEND\n"
)

// Append appends the footer to dst.
func (f *Footer) Append(dst []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, f.IndexOffset)
	dst = binary.LittleEndian.AppendUint64(dst, f.IndexLength)
	dst = append(dst, f.Digest[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, MajorVersion)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], Castagnoli))
	return append(dst, endMagic...)
}

// What the end of a file may be instead of a footer.
var (
	ErrNoFooter  = errors.New("no footer")
	errBadFooter = errors.New("the footer fails its checksum")
	errVersions  = errors.New("the file begins and ends with different format versions")
)

// FooterVersion is the version from which on the footer repeats it.
const FooterVersion = 3

// Parse reads the footer of a file of a major version.
func (f *Footer) Parse(b []byte, version byte) error {
	if string(b[56:64]) != endMagic {
		return ErrNoFooter
	}
	if crc32.Checksum(b[:52], Castagnoli) != binary.LittleEndian.Uint32(b[52:]) {
		return errBadFooter
	}
	if version < FooterVersion {
		version = 0
	}
	if binary.LittleEndian.Uint32(b[48:]) != uint32(version) {
		return errVersions
	}
	f.IndexOffset = binary.LittleEndian.Uint64(b)
	f.IndexLength = binary.LittleEndian.Uint64(b[8:])
	copy(f.Digest[:], b[16:48])
	return nil
}
