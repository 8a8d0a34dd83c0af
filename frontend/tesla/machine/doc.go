// SPDX-License-Identifier: Apache-2.0

// Package machine executes kernels of the configurable Tesla-like GPGPU (Lies 2019,
// chapter 4) as its register-transfer description does. It goes cycle by cycle, with
// the values of all registers and memories, in one configuration.
//
// A kernel's path and addresses are mostly the same in every configuration, and a trace
// holds nothing else. What is not the same (a race between warps, lanes of a row that
// store to one address, ...) is found here and told by Result.Dependences. The order in
// which warps execute is then that of the configuration, which is why this package
// counts cycles: the values are right for it to the bit.
//
// The rules in comments are those of the reference runs' description: "3.3" is its
// section 3.3.
package machine
