// SPDX-License-Identifier: Apache-2.0

// Package chunks is the codec of chunks: what the warps of some thread blocks of one
// launch did, as a message of packed columns.
//
// Writing, a ThreadBlock records one thread block, a Raw chunk collects thread blocks,
// and an Encoder makes the message. Reading, a Decoder parses the message, decodes what
// warps share, and fills the accesses. Both follow the Plan of the kernel. How the
// addresses of lanes are coded is package lanecode's business; the encoder chooses
// among its models, and follows the choices of earlier streams that are alike.
package chunks
