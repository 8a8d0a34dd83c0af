// SPDX-License-Identifier: Apache-2.0

package ptx

import "math/bits"

// Opcode is a PTX mnemonic without its suffixes.
type Opcode uint8

// The opcodes that the front end executes, by section of the PTX ISA.
const (
	OpInvalid Opcode = iota

	// Integer arithmetic (9.7.1).
	OpAdd
	OpSub
	OpMul
	OpMad
	OpMul24
	OpMad24
	OpSad
	OpDiv
	OpRem
	OpAbs
	OpNeg
	OpMin
	OpMax
	OpPopc
	OpClz
	OpBfind
	OpBrev
	OpBfe
	OpBfi
	OpAddc
	OpSubc
	OpMadc
	OpDp4a
	OpDp2a
	OpFns
	OpSzext
	OpBmsk

	// Floating point (9.7.3); add, sub, mul, mad, div, abs, neg, min and max
	// are shared with the integers.
	OpFma
	OpRcp
	OpSqrt
	OpRsqrt
	OpSin
	OpCos
	OpLg2
	OpEx2
	OpTanh
	OpTestp
	OpCopysign

	// Comparison and selection (9.7.6).
	OpSet
	OpSetp
	OpSelp
	OpSlct

	// Logic and shift (9.7.8).
	OpAnd
	OpOr
	OpXor
	OpNot
	OpCnot
	OpLop3
	OpShf
	OpShl
	OpShr

	// Data movement (9.7.9).
	OpMov
	OpShfl
	OpPrmt
	OpLd
	OpLdu
	OpSt
	OpPrefetch
	OpPrefetchu
	OpApplypriority
	OpDiscard
	OpCreatepolicy
	OpIsspacep
	OpCvta
	OpCvt
	OpMapa
	OpGetctarank
	OpCp
	OpTensormap

	// Textures and surfaces (9.7.10, 9.7.11).
	OpTex
	OpTld4
	OpTxq
	OpSuld
	OpSust
	OpSured
	OpSuq

	// Control flow (9.7.12).
	OpBra
	OpBrx
	OpCall
	OpRet
	OpExit

	// Synchronisation (9.7.13).
	OpBar
	OpBarrier
	OpMembar
	OpFence
	OpAtom
	OpRed
	OpVote
	OpMatch
	OpActivemask
	OpRedux
	OpElect
	OpGriddepcontrol
	OpMbarrier

	// Matrix multiplication by a warp (9.7.14).
	OpWmma
	OpMma
	OpLdmatrix
	OpStmatrix
	OpMovmatrix
	OpWgmma

	// Video: scalars, and vectors of halfwords and bytes (9.7.18).
	OpVadd
	OpVsub
	OpVabsdiff
	OpVmin
	OpVmax
	OpVshl
	OpVshr
	OpVmad
	OpVset
	OpVadd2
	OpVsub2
	OpVavrg2
	OpVabsdiff2
	OpVmin2
	OpVmax2
	OpVset2
	OpVadd4
	OpVsub4
	OpVavrg4
	OpVabsdiff4
	OpVmin4
	OpVmax4
	OpVset4

	// Miscellaneous (9.7.19).
	OpTrap
	OpBrkpt
	OpNanosleep
	OpPmevent
	OpSetmaxnreg

	opEnd
)

// Mod is a suffix of an instruction that is neither type nor state space nor
// vector length.
type Mod uint8

// Modifiers is the set of an instruction's modifiers.
type Modifiers [4]uint64

// Has reports whether m is in the set.
func (s *Modifiers) Has(m Mod) bool { return s[m>>6]&(1<<(m&63)) != 0 }

// Add puts m into the set.
func (s *Modifiers) Add(m Mod) { s[m>>6] |= 1 << (m & 63) }

// without is the set without the members of o.
func (s Modifiers) without(o Modifiers) Modifiers {
	for i := range s {
		s[i] &^= o[i]
	}
	return s
}

// with is the union of the two sets.
func (s Modifiers) with(o Modifiers) Modifiers {
	for i := range s {
		s[i] |= o[i]
	}
	return s
}

// common counts the modifiers that are in both sets.
func (s *Modifiers) common(o *Modifiers) int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i] & o[i])
	}
	return n
}

// The modifiers, spelt as in PTX.
const (
	ModNone Mod = iota
	// Multiplication parts, saturation, carry.
	ModLo
	ModHi
	ModWide
	ModSat
	ModCC
	// Floating point rounding (9.7.3, 9.7.9.21).
	ModRn
	ModRz
	ModRm
	ModRp
	ModRni
	ModRzi
	ModRmi
	ModRpi
	ModFtz
	ModApprox
	ModFull
	ModNaN
	ModXorsign
	ModAbs
	ModRelu
	// Comparisons (9.3.1).
	ModEq
	ModNe
	ModLt
	ModLe
	ModGt
	ModGe
	ModLoCompare // "lo" of setp/set on unsigned operands
	ModLs
	ModHiCompare // "hi" of setp/set
	ModHs
	ModEqu
	ModNeu
	ModLtu
	ModLeu
	ModGtu
	ModGeu
	ModNum
	ModNan // "nan" comparison
	// Boolean combination in setp/set, and operations of atom, red, vote, redux.
	ModAnd
	ModOr
	ModXor
	ModAdd
	ModInc
	ModDec
	ModMin
	ModMax
	ModExch
	ModCas
	ModPopc
	// testp.
	ModFinite
	ModInfinite
	ModNumber
	ModNotanumber
	ModNormal
	ModSubnormal
	// Shifts, prmt, shfl, vote, match.
	ModL
	ModR
	ModClamp
	ModWrap
	ModShiftamt
	ModF4e
	ModB4e
	ModRc8
	ModEcl
	ModEcr
	ModRc16
	ModUp
	ModDown
	ModBfly
	ModIdx
	ModSync
	ModAll
	ModAny
	ModUni
	ModBallot
	// Memory: cache operators, semantics, scopes.
	ModCa
	ModCg
	ModCs
	ModLu
	ModCv
	ModWb
	ModWt
	ModNc
	ModVolatile
	ModWeak
	ModRelaxed
	ModAcquire
	ModRelease
	ModAcqRel
	ModSc
	ModCta
	ModGl
	ModGpu
	ModSys
	ModCluster
	ModTo // cvta.to
	ModL1 // prefetch level
	ModL2
	// Cache hints: performance only. Eviction priorities ".L1::evict_last", those
	// of createpolicy's second kind of address, sizes of prefetches ".L2::128B", and
	// that a policy follows.
	ModL1Hint
	ModL2Hint
	ModL2Secondary
	ModL2Size
	ModCacheHint
	// Barriers.
	ModArrive
	ModRed
	ModAligned
	ModWarp // bar.warp.sync
	// Textures.
	Mod1d
	Mod2d
	Mod3d
	ModA1d // arrays of layers
	ModA2d
	ModLevel
	ModBase
	ModGrad
	ModG // the channel that tld4 gathers, as are .r, .b and .a
	// wmma and mma: what is done, to which matrix, in which layout and shape.
	ModLoad
	ModStore
	ModMma
	ModA
	ModB
	ModC
	ModD
	ModRow // of the matrix moved, or of a
	ModCol
	ModRowB // of b, where the layouts of a and b are written
	ModColB
	ModM16n16k16
	ModM8n32k16
	ModM32n8k16
	ModM16n8k16
	ModM16n8k8
	ModM16n16k8
	ModM16n8k4
	ModM16n8k32
	ModM8n8k4
	ModM8n8k16
	ModM8n8k32
	ModM8n8k128
	ModM16n8k64
	ModM16n8k128
	ModM16n8k256
	ModSatfinite
	// ldmatrix and its kin.
	ModM8n8
	ModX1
	ModX2
	ModX4
	ModTrans
	ModNoftz // atom and red on half precision
	ModRna   // rounding of cvt to .tf32
	ModPack  // cvt of two integers into one register
	// Fences.
	ModProxy
	ModAlias
	ModAsync
	ModMbarrierInit
	ModMask // pmevent
	// createpolicy.
	ModRange
	ModFractional
	ModCvt
	// cp.async and mbarrier.
	ModCommitGroup
	ModWaitGroup
	ModWaitAll
	ModMbarrier
	ModNoinc
	ModInit
	ModInval
	ModArriveDrop
	ModNoComplete
	ModTestWait
	ModTryWait
	ModParity
	ModPendingCount
	// Bulk copies: what they move, what tells their end, and tensors.
	ModBulk
	ModBulkGroup
	ModCompleteTxBytes
	ModMulticast
	ModRead
	ModPrefetch
	ModReduce
	ModCpMask
	ModTensor
	ModTile
	ModGather4
	ModScatter4
	ModIm2col
	ModIm2colNoOffs
	Mod4d
	Mod5d
	// Transactions of mbarriers.
	ModExpectTx
	ModCompleteTx
	// Tensor maps and their fields.
	ModTensormap // prefetch
	ModTensormapGeneric
	ModReplace
	ModCpFenceproxy
	ModB1024
	ModGlobalAddress
	ModRank
	ModBoxDim
	ModGlobalDim
	ModGlobalStride
	ModElementStride
	ModElemtype
	ModInterleaveLayout
	ModSwizzleMode
	ModFillMode
	// wgmma; its shapes stand for all n.
	ModWarpgroupFence
	ModMmaAsync
	ModM64k8
	ModM64k16
	ModM64k32
	ModM64k64
	ModM64k256
	// Sparse products.
	ModSp
	ModSpOrdered
	// Video.
	ModPo
	ModShr7
	ModShr15
	// Surfaces: formatted access, and what lies outside.
	ModP
	ModTrap
	ModZero
	// What txq and suq ask for.
	ModWidth
	ModHeight
	ModDepth
	ModChannelDataType
	ModChannelOrder
	ModNormalizedCoords
	ModForceUnnormalizedCoords
	ModFilterMode
	ModAddrMode0
	ModAddrMode1
	ModAddrMode2
	ModArraySize
	ModNumMipmapLevels
	ModNumSamples
	ModMemoryLayout
	// barrier.cluster, griddepcontrol.
	ModWait
	ModLaunchDependents

	modEnd
)
