// SPDX-License-Identifier: Apache-2.0

//go:build !amd64 || purego

package lanes

// hostVectors is empty: every loop runs in Go.
func hostVectors() vectorSet { return vectorSet{} }

func availableVectors() []vectorSet { return nil }
