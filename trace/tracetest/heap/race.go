// SPDX-License-Identifier: Apache-2.0

//go:build race

package heap

// Usual does nothing: the collector works as in any program.
func Usual() {}
