// SPDX-License-Identifier: Apache-2.0

//go:build !amd64 || purego

package lanevector

// available says that every loop runs in Go. What follows is never called.
const (
	available     = false
	availableBits = false
)

func zigzagFromAVX2(_, _ *[Lanes]uint64, _ uint64)                      {}
func zigzagAlongAVX2(_ *[Lanes]uint64, _ uint64)                        {}
func changedAVX2(_, _ *[Lanes]uint64) uint64                            { return 0 }
func sameDistanceAVX2(_, _ *[Lanes]uint64, _, _ uint64) uint64          { return 0 }
func nearDistanceAVX2(_, _ *[Lanes]uint64, _, _ uint64) uint64          { return 0 }
func moveMeansAVX2(_, _ *[Lanes]uint64, _, _ uint64)                    {}
func shiftAVX2(_ *uint64, _, _ uint64)                                  {}
func placeAVX2(_, _ *[Lanes]uint64, _ uint64) uint64                    { return 0 }
func strideAVX2(_ *[Lanes]uint64, _, _ uint64)                          {}
func extendAVX2(_ *[Lanes]uint64, _, _, _ uint64) (lowest, high uint64) { return 0, 0 }
func contextsAVX2(_, _ *[Lanes]byte)                                    {}
func classifyAVX2(_ *[Lanes]byte, _ *[Lanes]uint64) uint64              { return 0 }

func smallHashesAVX2(_ *byte, _, _, _, _ uint64) (at, which uint64) { return 0, 0 }

func codeClassesBMI2(_ *uint64, _ *byte, _ uint64, _ *uint16, _ *[Ways]uint32) uint64 { return 0 }

func codeLanesBMI2(_, _ *uint64, _ *[256]uint8, _ *uint64, _, _ *byte, _ uint64, _ *uint16, _ *[Ways]uint32) uint64 {
	return 0
}

func packOpenBMI2(_ *byte, _ *uint64, _ *byte, _ uint64, _ *[256]uint8, _, _ uint64) (bytes, left, filled, undone uint64) {
	return 0, 0, 0, 0
}

func countBMI2(_, _ *[256]uint32, _ *[Lanes]byte)                          {}
func countContextsBMI2(_ *uint32, _, _ *byte, _ uint64)                    {}
func countOpenBMI2(_ *uint32, _ *uint64, _ *byte, _ uint64, _ *[256]uint8) {}
