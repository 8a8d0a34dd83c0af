// SPDX-License-Identifier: Apache-2.0

//go:build amd64.v3

package lanes

// fusesProducts: the compiler may round products and sums of package math once together,
// which the assembly does not.
const fusesProducts = true
