// SPDX-License-Identifier: Apache-2.0

package ptx

import "strings"

// modNames spells the modifiers; those that share their spelling with others
// (the two comparisons, the layouts of b) are told apart by suffixOf.
var modNames = [modEnd]string{
	ModLo: "lo", ModHi: "hi", ModWide: "wide", ModSat: "sat", ModCC: "cc",
	ModRn: "rn", ModRz: "rz", ModRm: "rm", ModRp: "rp", ModRni: "rni", ModRzi: "rzi", ModRmi: "rmi", ModRpi: "rpi",
	ModFtz: "ftz", ModApprox: "approx", ModFull: "full", ModNaN: "NaN", ModXorsign: "xorsign", ModAbs: "abs", ModRelu: "relu",
	ModEq: "eq", ModNe: "ne", ModLt: "lt", ModLe: "le", ModGt: "gt", ModGe: "ge",
	ModLoCompare: "lo", ModLs: "ls", ModHiCompare: "hi", ModHs: "hs",
	ModEqu: "equ", ModNeu: "neu", ModLtu: "ltu", ModLeu: "leu", ModGtu: "gtu", ModGeu: "geu", ModNum: "num", ModNan: "nan",
	ModAnd: "and", ModOr: "or", ModXor: "xor", ModAdd: "add", ModInc: "inc", ModDec: "dec", ModMin: "min", ModMax: "max",
	ModExch: "exch", ModCas: "cas", ModPopc: "popc",
	ModFinite: "finite", ModInfinite: "infinite", ModNumber: "number", ModNotanumber: "notanumber", ModNormal: "normal", ModSubnormal: "subnormal",
	ModL: "l", ModR: "r", ModClamp: "clamp", ModWrap: "wrap", ModShiftamt: "shiftamt",
	ModF4e: "f4e", ModB4e: "b4e", ModRc8: "rc8", ModEcl: "ecl", ModEcr: "ecr", ModRc16: "rc16",
	ModUp: "up", ModDown: "down", ModBfly: "bfly", ModIdx: "idx", ModSync: "sync",
	ModAll: "all", ModAny: "any", ModUni: "uni", ModBallot: "ballot",
	ModCa: "ca", ModCg: "cg", ModCs: "cs", ModLu: "lu", ModCv: "cv", ModWb: "wb", ModWt: "wt", ModNc: "nc",
	ModVolatile: "volatile", ModWeak: "weak", ModRelaxed: "relaxed", ModAcquire: "acquire", ModRelease: "release", ModAcqRel: "acq_rel", ModSc: "sc",
	ModCta: "cta", ModGl: "gl", ModGpu: "gpu", ModSys: "sys", ModCluster: "cluster",
	ModTo: "to", ModL1: "L1", ModL2: "L2", ModL1Hint: "L1::eviction_priority", ModL2Hint: "L2::eviction_priority",
	ModL2Secondary: "L2::secondary_priority", ModL2Size: "L2::prefetch_size", ModCacheHint: "L2::cache_hint",
	ModRange: "range", ModFractional: "fractional", ModCvt: "cvt",
	ModArrive: "arrive", ModRed: "red", ModAligned: "aligned", ModWarp: "warp",
	Mod1d: "1d", Mod2d: "2d", Mod3d: "3d", ModA1d: "a1d", ModA2d: "a2d", ModLevel: "level", ModBase: "base", ModGrad: "grad", ModG: "g",
	ModLoad: "load", ModStore: "store", ModMma: "mma", ModA: "a", ModB: "b", ModC: "c", ModD: "d",
	ModRow: "row", ModCol: "col", ModRowB: "row", ModColB: "col",
	ModM16n16k16: "m16n16k16", ModM8n32k16: "m8n32k16", ModM32n8k16: "m32n8k16", ModM16n8k16: "m16n8k16", ModM16n8k8: "m16n8k8",
	ModM16n16k8: "m16n16k8", ModM16n8k4: "m16n8k4", ModM16n8k32: "m16n8k32", ModM8n8k4: "m8n8k4", ModM8n8k16: "m8n8k16",
	ModM8n8k32: "m8n8k32", ModM8n8k128: "m8n8k128", ModM16n8k64: "m16n8k64", ModM16n8k128: "m16n8k128", ModM16n8k256: "m16n8k256",
	ModM8n8: "m8n8", ModX1: "x1", ModX2: "x2", ModX4: "x4", ModTrans: "trans",
	ModSatfinite: "satfinite", ModNoftz: "noftz", ModRna: "rna", ModPack: "pack",
	ModProxy: "proxy", ModAlias: "alias", ModAsync: "async", ModMbarrierInit: "mbarrier_init", ModMask: "mask",
	ModCommitGroup: "commit_group", ModWaitGroup: "wait_group", ModWaitAll: "wait_all", ModMbarrier: "mbarrier", ModNoinc: "noinc",
	ModInit: "init", ModInval: "inval", ModArriveDrop: "arrive_drop", ModNoComplete: "noComplete", ModTestWait: "test_wait", ModTryWait: "try_wait",
	ModParity: "parity", ModPendingCount: "pending_count",
	ModBulk: "bulk", ModBulkGroup: "bulk_group", ModCompleteTxBytes: "mbarrier::complete_tx::bytes", ModMulticast: "multicast::cluster", ModRead: "read",
	ModPrefetch: "prefetch", ModReduce: "reduce", ModCpMask: "cp_mask",
	ModTensor: "tensor", ModTile: "tile", ModGather4: "tile::gather4", ModScatter4: "tile::scatter4", ModIm2col: "im2col", ModIm2colNoOffs: "im2col_no_offs", Mod4d: "4d", Mod5d: "5d",
	ModExpectTx: "expect_tx", ModCompleteTx: "complete_tx",
	ModTensormap: "tensormap", ModTensormapGeneric: "tensormap::generic", ModReplace: "replace", ModCpFenceproxy: "cp_fenceproxy", ModB1024: "b1024",
	ModGlobalAddress: "global_address", ModRank: "rank", ModBoxDim: "box_dim", ModGlobalDim: "global_dim", ModGlobalStride: "global_stride", ModElementStride: "element_stride",
	ModElemtype: "elemtype", ModInterleaveLayout: "interleave_layout", ModSwizzleMode: "swizzle_mode", ModFillMode: "fill_mode",
	ModWarpgroupFence: "fence", ModMmaAsync: "mma_async", ModM64k8: "m64n8k8", ModM64k16: "m64n8k16", ModM64k32: "m64n8k32", ModM64k64: "m64n8k64", ModM64k256: "m64n8k256",
	ModSp: "sp", ModSpOrdered: "sp::ordered_metadata",
	ModPo: "po", ModShr7: "shr7", ModShr15: "shr15", ModP: "p", ModTrap: "trap", ModZero: "zero",
	ModWidth: "width", ModHeight: "height", ModDepth: "depth", ModChannelDataType: "channel_data_type", ModChannelOrder: "channel_order",
	ModNormalizedCoords: "normalized_coords", ModForceUnnormalizedCoords: "force_unnormalized_coords", ModFilterMode: "filter_mode",
	ModAddrMode0: "addr_mode_0", ModAddrMode1: "addr_mode_1", ModAddrMode2: "addr_mode_2",
	ModArraySize: "array_size", ModNumMipmapLevels: "num_mipmap_levels", ModNumSamples: "num_samples", ModMemoryLayout: "memory_layout",
	ModWait: "wait", ModLaunchDependents: "launch_dependents",
}

// String is the suffix without the dot; the many cache hints have the ISA's
// name for their kind.
func (m Mod) String() string {
	if m < modEnd {
		return modNames[m]
	}
	return "modifier?"
}

// Known values of the cache hints (9.7.9.8).
var cacheHints = map[string]Mod{
	"L1::evict_normal": ModL1Hint, "L1::evict_unchanged": ModL1Hint, "L1::evict_first": ModL1Hint, "L1::evict_last": ModL1Hint, "L1::no_allocate": ModL1Hint,
	"L2::64B": ModL2Size, "L2::128B": ModL2Size, "L2::256B": ModL2Size,
	"L2::evict_normal": ModL2Hint, "L2::evict_first": ModL2Hint, "L2::evict_last": ModL2Hint, "L2::evict_unchanged": ModL2Hint,
}

// suffix is what one dotted part of an instruction means.
type suffix struct {
	kind   suffixKind
	typ    Type
	space  Space
	vector int
	mod    Mod
	needs  *Availability // nil where the instruction decides
}

type suffixKind uint8

const (
	suffixUnknown suffixKind = iota
	suffixType
	suffixSpace
	suffixVector
	suffixMod
)

var suffixes = func() map[string]suffix {
	table := map[string]suffix{
		"v2": {kind: suffixVector, vector: 2}, "v4": {kind: suffixVector, vector: 4}, "v8": {kind: suffixVector, vector: 8},
		"shared::cta": {kind: suffixSpace, space: SpaceShared}, "shared::cluster": {kind: suffixSpace, space: SpaceShared}, "param::entry": {kind: suffixSpace, space: SpaceParam}, "param::func": {kind: suffixSpace, space: SpaceArgument},
	}
	for t := TypeNone + 1; t < typeEnd; t++ {
		table[t.String()] = suffix{kind: suffixType, typ: t}
	}
	for _, sp := range []Space{SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam} {
		table[sp.String()] = suffix{kind: suffixSpace, space: sp}
	}
	for m := ModNone + 1; m < modEnd; m++ {
		switch m {
		case ModLoCompare, ModHiCompare, ModRowB, ModColB, ModL1Hint, ModL2Hint, ModL2Secondary, ModL2Size:
		default:
			table[m.String()] = suffix{kind: suffixMod, mod: m}
		}
	}
	for name, m := range cacheHints {
		table[name] = suffix{kind: suffixMod, mod: m}
	}
	for name, row := range suffixAvailability {
		s := table[name]
		s.needs = &row
		table[name] = s
	}
	return table
}()

// suffixOf gives the meaning of the next dotted part of an instruction.
func suffixOf(in *Instruction, text string) suffix {
	s := suffixes[text]
	switch {
	case in.Op == OpWgmma:
		if _, k, ok := warpgroupShape(text); ok && warpgroupShapes[k] != ModNone {
			s = suffix{kind: suffixMod, mod: warpgroupShapes[k]}
		}
	case in.Op == OpCreatepolicy:
		if s.mod == ModL2Hint && in.Mods.Has(ModL2Hint) && (text == "L2::evict_first" || text == "L2::evict_unchanged") {
			s.mod = ModL2Secondary
		}
	case in.Op == OpSet || in.Op == OpSetp:
		switch s.mod {
		case ModLo:
			s.mod = ModLoCompare
		case ModHi:
			s.mod = ModHiCompare
		}
	case in.Mods.Has(ModRow) || in.Mods.Has(ModCol): // the second layout is b's
		switch s.mod {
		case ModRow:
			s.mod = ModRowB
		case ModCol:
			s.mod = ModColB
		}
	}
	return s
}

// list renders the set as ".lo .hi .wide".
func (s *Modifiers) list() string {
	var b strings.Builder
	for m := ModNone + 1; m < modEnd; m++ {
		if s.Has(m) {
			b.WriteString(" ." + m.String())
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}

// String renders the set as ".u32 .s32".
func (s TypeSet) String() string {
	var b strings.Builder
	for t := TypeNone + 1; t < typeEnd; t++ {
		if s.Has(t) {
			b.WriteString(" ." + t.String())
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}

// String renders the group as ".rn .rz", in braces where none may be written.
func (g Group) String() string {
	if g.Required {
		return g.Mods.list()
	}
	return "{" + g.Mods.list() + "}"
}

// String renders the set as ".global .shared".
func (s SpaceSet) String() string { return s.list() }

// list renders the set as ".global .shared", "none" standing for no space.
func (s SpaceSet) list() string {
	var b strings.Builder
	for sp := SpaceNone + 1; sp < spaceEnd; sp++ {
		switch {
		case s.Has(sp) && sp == SpaceGeneric:
			b.WriteString(" none (generic)")
		case s.Has(sp):
			b.WriteString(" ." + sp.String())
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}
