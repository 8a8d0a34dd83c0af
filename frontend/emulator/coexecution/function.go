// SPDX-License-Identifier: Apache-2.0

package coexecution

import "github.com/warptape/warptape/frontend/ptx"

// functionAddressBase is the address of the first function. Code is no part of
// the generic space; the addresses lie in the page that is never mapped, so
// that nothing can be read there.
const functionAddressBase = 0x100

// FunctionAddress is what a pointer to a function holds.
func FunctionAddress(f *ptx.Function) uint64 { return functionAddressBase + uint64(f.Number) }
