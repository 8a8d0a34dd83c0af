// SPDX-License-Identifier: Apache-2.0

package wtape

import "github.com/klauspost/compress/zstd"

// Level chooses how hard a writer compresses. The content, and so the digest, is
// the same at every level.
type Level uint8

// The levels.
const (
	LevelDefault Level = iota
	LevelFast          // about twice as fast, a little larger
	LevelSmall         // for files that are shared: several times slower
)

// speed is the compressor's own name for a level.
func (l Level) speed() zstd.EncoderLevel {
	switch l {
	case LevelFast:
		return zstd.SpeedFastest
	case LevelSmall:
		return zstd.SpeedBestCompression
	}
	return zstd.SpeedDefault
}
