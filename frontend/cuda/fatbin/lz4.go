// SPDX-License-Identifier: Apache-2.0

package fatbin

import "errors"

var errLZ4 = errors.New("damaged")

// expandLZ4 expands one block of LZ4 (the format's specification, "LZ4 Block Format
// Description"): tokens of literals and of copies from what came before.
func expandLZ4(in []byte, length int) ([]byte, error) {
	out := make([]byte, 0, min(length, 1<<20))
	for i := 0; i < len(in); {
		token := in[i]
		i++
		literals, next, ok := lz4Length(in, i, int(token>>4))
		if !ok || literals > len(in)-next || literals > length-len(out) {
			return nil, errLZ4
		}
		out = append(out, in[next:next+literals]...)
		if i = next + literals; i == len(in) {
			break // the last token has no copy
		}
		if len(in)-i < 2 {
			return nil, errLZ4
		}
		offset := int(in[i]) | int(in[i+1])<<8
		n, next, ok := lz4Length(in, i+2, int(token&15))
		if n += 4; !ok || offset == 0 || offset > len(out) || n > length-len(out) {
			return nil, errLZ4
		}
		for range n { // a copy may read what it writes
			out = append(out, out[len(out)-offset])
		}
		i = next
	}
	if len(out) != length {
		return nil, errLZ4
	}
	return out, nil
}

// lz4Length adds the bytes that go on with a length of 15.
func lz4Length(in []byte, i, n int) (length, next int, ok bool) {
	if n < 15 {
		return n, i, true
	}
	for ; i < len(in); i++ {
		if n += int(in[i]); n > maxTextBytes {
			return 0, 0, false
		}
		if in[i] != 255 {
			return n, i + 1, true
		}
	}
	return 0, 0, false
}
