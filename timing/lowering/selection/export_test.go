// SPDX-License-Identifier: Apache-2.0

package selection

// Blocks is for tests that lower a kernel whole.
var Blocks = blocks
