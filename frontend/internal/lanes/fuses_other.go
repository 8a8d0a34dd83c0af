// SPDX-License-Identifier: Apache-2.0

//go:build !amd64.v3

package lanes

// fusesProducts reports whether the compiler may round products and sums of package math
// once together. Where there is assembly for other hosts than amd64, this has to be seen to.
const fusesProducts = false
