// SPDX-License-Identifier: Apache-2.0

// Package cpuchunks is the codec of the chunks of CPU threads: the distinct instructions
// of a chunk, which of them was executed when, outcomes of branches and addresses. Both
// sides predict the next instruction and its addresses from those before, and the message
// holds what was not predicted.
package cpuchunks
