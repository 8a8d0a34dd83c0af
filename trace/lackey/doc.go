// SPDX-License-Identifier: Apache-2.0

// Package lackey makes CPU traces of what valgrind's tool lackey prints
// (--trace-mem=yes), a line for each instruction and data access:
//
//	I  00401650,2      an instruction at an address, and its bytes
//	 L 1fff000680,8    it loads
//	 S 1fff000678,8    it stores
//	 M 004ab3d0,4      it loads and stores
//
// Lackey knows neither registers nor branches. They come from the disassembly of the
// program (objdump -d, x86-64, AT&T syntax), which must be linked statically at fixed
// addresses (-static -no-pie).
package lackey
