// SPDX-License-Identifier: Apache-2.0

package columns

// HashFactor spreads a key over the high bits of the product: 2^64 divided by the
// golden ratio, which is odd (Knuth, The Art of Computer Programming 3, section 6.4). The
// tables of lane models are part of the format, and this with them.
const HashFactor = 0x9e3779b97f4a7c15
