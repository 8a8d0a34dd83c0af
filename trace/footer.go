package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// footer ends the file. Layout, little endian:
//
//	 0  u64       offset of the index frame
//	 8  u64       length of the index frame with its header
//	16  32 bytes  digest of the content
//	48  u32       major version, zero before version 3
//	52  u32       CRC-32C of bytes 0..51
//	56  8 bytes   "WTAPEND\n"
type footer struct {
	indexOffset, indexLength uint64
	digest                   [sha256.Size]byte
}

const (
	footerBytes = 64
	endMagic    = "WTAPEND\n"
)

func (f *footer) append(dst []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, f.indexOffset)
	dst = binary.LittleEndian.AppendUint64(dst, f.indexLength)
	dst = append(dst, f.digest[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, majorVersion)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
	return append(dst, endMagic...)
}

var (
	errNoFooter  = errors.New("no footer")
	errBadFooter = errors.New("the footer fails its checksum")
	errVersions  = errors.New("the file begins and ends with different format versions")
)

// footerVersion is the version from which on the footer repeats it.
const footerVersion = 3

// parse reads the footer of a file of a major version.
func (f *footer) parse(b []byte, version byte) error {
	if string(b[56:64]) != endMagic {
		return errNoFooter
	}
	if crc32.Checksum(b[:52], castagnoli) != binary.LittleEndian.Uint32(b[52:]) {
		return errBadFooter
	}
	if version < footerVersion {
		version = 0
	}
	if binary.LittleEndian.Uint32(b[48:]) != uint32(version) {
		return errVersions
	}
	f.indexOffset = binary.LittleEndian.Uint64(b)
	f.indexLength = binary.LittleEndian.Uint64(b[8:])
	copy(f.digest[:], b[16:48])
	return nil
}
