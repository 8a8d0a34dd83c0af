// SPDX-License-Identifier: Apache-2.0

package clang

// Barriers are options of device code with which a barrier may change what restricted pointers name.
// LLVM takes an argument that is "noalias" and does not escape for memory that no call changes
// (BasicAAResult::getModRefInfo), a barrier neither. But other threads of the thread block have the same
// argument: without the options a value that one of them stores before a barrier is not loaded
// behind it. A search for escapes that gives up at once lets the argument escape.
var Barriers = []string{"-mllvm", "-capture-tracking-max-uses-to-explore=0"}
