// SPDX-License-Identifier: Apache-2.0

package ptx

import "slices"

// targetVersions are the versions that brought the targets (11.1.2).
var targetVersions = map[string]Version{
	"sm_10": {1, 0}, "sm_11": {1, 0}, "sm_12": {1, 2}, "sm_13": {1, 2}, "sm_20": {2, 0}, "sm_30": {3, 0}, "sm_32": {4, 0}, "sm_35": {3, 1}, "sm_37": {4, 1},
	"sm_50": {4, 0}, "sm_52": {4, 1}, "sm_53": {4, 2}, "sm_60": {5, 0}, "sm_61": {5, 0}, "sm_62": {5, 0}, "sm_70": {6, 0}, "sm_72": {6, 1}, "sm_75": {6, 3},
	"sm_80": {7, 0}, "sm_86": {7, 1}, "sm_87": {7, 4}, "sm_88": {9, 0}, "sm_89": {7, 8}, "sm_90": {7, 8}, "sm_90a": {8, 0},
	"sm_100": {8, 6}, "sm_100a": {8, 6}, "sm_100f": {8, 8}, "sm_101": {8, 6}, "sm_101a": {8, 6}, "sm_101f": {8, 8},
	"sm_103": {8, 8}, "sm_103a": {8, 8}, "sm_103f": {8, 8}, "sm_110": {9, 0}, "sm_110a": {9, 0}, "sm_110f": {9, 0},
	"sm_120": {8, 7}, "sm_120a": {8, 7}, "sm_120f": {8, 8}, "sm_121": {8, 8}, "sm_121a": {8, 8}, "sm_121f": {8, 8},
}

// clusterDirectives is what .reqnctapercluster and its like need.
var clusterDirectives = Availability{Version: isa(7, 8), Target: 90, Section: "11.7"}

// specialAvailability is what special registers need; those that are not here are
// in PTX 1.0 to 1.3 already, for all targets.
var specialAvailability = func() map[Special]Availability {
	table := map[Special]Availability{
		Nwarpid:         {Version: isa(2, 0), Target: 20, Section: "10.5"},
		Nsmid:           {Version: isa(2, 0), Target: 20, Section: "10.9"},
		ClockHi:         {Version: isa(5, 0), Target: 20, Section: "10.23"},
		Clock64:         {Version: isa(2, 0), Target: 20, Section: "10.24"},
		TotalSmemSize:   {Version: isa(4, 1), Target: 20, Section: "10.30"},
		DynamicSmemSize: {Version: isa(4, 1), Target: 20, Section: "10.32"},
	}
	for s := LanemaskEq; s <= LanemaskGt; s++ {
		table[s] = Availability{Version: isa(2, 0), Target: 20, Section: "10.18"}
	}
	for s := Envreg; s <= LastEnvreg; s++ {
		table[s] = Availability{Version: isa(2, 1), Section: "10.27"}
	}
	for s := Globaltimer; s <= GlobaltimerHi; s++ {
		table[s] = Availability{Version: isa(3, 1), Target: 30, Section: "10.28"}
	}
	for s := ClusteridX; s <= ClusterNctarank; s++ {
		table[s] = Availability{Version: isa(7, 8), Target: 90, Section: "10.12"}
	}
	table[IsExplicitCluster] = Availability{Version: isa(7, 8), Target: 90, Section: "10.11"}
	return table
}()

// suffixAvailability is what a suffix needs whatever instruction it stands in.
var suffixAvailability = map[string]Availability{
	"shared::cta":         {Version: isa(7, 8), Target: 30, Section: "9.7.9.8"},
	"shared::cluster":     {Version: isa(7, 8), Target: 90, Section: "9.7.9.8"},
	"param::entry":        {Version: isa(8, 3), Section: "9.7.9.8"},
	"param::func":         {Version: isa(8, 3), Section: "9.7.9.8"},
	"cluster":             {Version: isa(7, 8), Target: 90, Section: "8.5"},
	"L1::evict_normal":    {Version: isa(7, 4), Target: 70, Section: "9.7.9.8"},
	"L1::evict_unchanged": {Version: isa(7, 4), Target: 70, Section: "9.7.9.8"},
	"L1::evict_first":     {Version: isa(7, 4), Target: 70, Section: "9.7.9.8"},
	"L1::evict_last":      {Version: isa(7, 4), Target: 70, Section: "9.7.9.8"},
	"L1::no_allocate":     {Version: isa(7, 4), Target: 70, Section: "9.7.9.8"},
	"L2::64B":             {Version: isa(7, 4), Target: 75, Section: "9.7.9.8"},
	"L2::128B":            {Version: isa(7, 4), Target: 75, Section: "9.7.9.8"},
	"L2::256B":            {Version: isa(7, 4), Target: 80, Section: "9.7.9.8"},
	"L2::cache_hint":      {Version: isa(7, 4), Target: 80, Section: "9.7.9.8"},
}

// Sets that recur in the rows.
var (
	f64s     = typesOf(F64)
	f32s     = typesOf(F32)
	wides    = typesOf(B64, U64, S64, F64)
	quarters = typesOf(E4M3x2, E5M2x2, E4M3, E5M2)
	smalls   = typesOf(F16, F16x2)
	brains   = typesOf(BF16, BF16x2)
	directed = modsOf(ModRm, ModRp)
	rounded  = modsOf(ModRn, ModRz, ModRm, ModRp)
	ordered  = modsOf(ModRelaxed, ModAcquire, ModRelease, ModAcqRel)
	scopes   = modsOf(ModCta, ModCluster, ModGpu, ModSys)
	caches   = modsOf(ModCa, ModCg, ModCs, ModLu, ModCv, ModWb, ModWt)
	noSpace  = spacesOf(SpaceGeneric)
)

// always is the row of what PTX 1.0 has for all targets.
var always = Availability{Version: isa(1, 0)}

// from is the row of all forms of an opcode.
func from(v Version, target int) Availability { return Availability{Version: v, Target: target} }

// since are the rows of an opcode that brought all its forms at once.
func since(v Version, target int) []Availability { return []Availability{from(v, target)} }

// The rows of opcodes whose forms came one after the other; the first is for all forms.
var addAvailability = joinRows(sumAvailability, []Availability{{Any: packed16, Version: isa(8, 0), Target: 90}})

var madAvailability = joinRows([]Availability{always,
	{Any: f64s, Target: 13, Section: "9.7.3.7"},
	{Any: f32s, Mods: rounded, Target: 20, Section: "9.7.3.7"},
	{Mods: modsOf(ModCC), Version: isa(3, 0), Target: 20, Section: "9.7.2.5"},
	{Mods: modsOf(ModCC), Any: wides, Version: isa(4, 3), Target: 20, Section: "9.7.2.5"}})

var divAvailability = []Availability{always, {Any: f64s, Target: 13, Section: "9.7.3.8"}, {Any: f32s, Mods: rounded, Target: 20, Section: "9.7.3.8"},
	{Any: f64s, Mods: modsOf(ModRz, ModRm, ModRp), Target: 20, Section: "9.7.3.8"}}

var addcAvailability = []Availability{from(isa(1, 2), 0), {Any: wides, Version: isa(4, 3), Target: 20}}

var subcAvailability = []Availability{from(isa(1, 2), 0), {Any: wides, Version: isa(4, 3), Target: 20}}

var madcAvailability = []Availability{from(isa(3, 0), 20), {Any: wides, Version: isa(4, 3), Target: 20}}

var fmaAvailability = []Availability{pairAvailability, {Version: isa(1, 4)}, {Any: f64s, Target: 13}, {Any: f32s, Version: isa(2, 0), Target: 20},
	{Any: smalls, Version: isa(4, 2), Target: 53, Section: "9.7.4.4"}, {Any: smalls, Mods: modsOf(ModRelu), Version: isa(7, 0), Target: 80, Section: "9.7.4.4"},
	{Any: brains, Version: isa(7, 0), Target: 80, Section: "9.7.4.4"}}

var rcpAvailability = joinRows(rootAvailability, []Availability{{Any: f64s, Mods: modsOf(ModApprox), Version: isa(2, 1), Target: 20, Section: "9.7.3.14"}})

var rsqrtAvailability = []Availability{always, {Any: f64s, Target: 13}, {Any: f64s, Mods: modsOf(ModFtz), Version: isa(4, 0), Target: 20, Section: "9.7.3.17"}}

var ex2Availability = []Availability{always, {Any: smalls, Version: isa(7, 0), Target: 75, Section: "9.7.4.10"}, {Any: brains, Version: isa(7, 8), Target: 90, Section: "9.7.4.10"}}

var tanhAvailability = []Availability{from(isa(7, 0), 75), {Any: brains, Version: isa(7, 8), Target: 90, Section: "9.7.4.9"}}

var setAvailability = []Availability{always, {Second: f64s, Target: 13}, {Any: smalls, Version: isa(4, 2), Target: 53, Section: "9.7.7.1"},
	{Second: smalls, First: typesOf(U16, U32, S16, S32), Version: isa(6, 5), Target: 53, Section: "9.7.7.1"}, {Any: brains, Version: isa(7, 8), Target: 90, Section: "9.7.7.1"}}

var setpAvailability = []Availability{always, {Any: f64s, Target: 13}, {Any: smalls, Version: isa(4, 2), Target: 53, Section: "9.7.7.2"}, {Any: brains, Version: isa(7, 8), Target: 90, Section: "9.7.7.2"}}

var lop3Availability = []Availability{from(isa(4, 3), 50), {Mods: modsOf(ModAnd, ModOr), Version: isa(8, 2), Target: 70}}

var movAvailability = []Availability{always, {Any: f64s, Target: 13}, {Any: typesOf(B128), Version: isa(8, 3), Target: 70, Section: "9.7.9.4"}}

var shflAvailability = []Availability{from(isa(3, 0), 30), {Mods: modsOf(ModSync), Version: isa(6, 0), Target: 30, Section: "9.7.9.6"}, {Without: modsOf(ModSync), Until: isa(6, 4), Removed: 70}}

var prefetchAvailability = []Availability{from(isa(2, 0), 20), {Mods: modsOf(ModL2Hint), Version: isa(7, 4), Target: 80}, {Mods: modsOf(ModTensormap), Version: isa(8, 0), Target: 90}}

var cpAvailability = []Availability{from(isa(7, 0), 80), {Mods: modsOf(ModBulk), Version: isa(8, 0), Target: 90, Section: "9.7.9.25.4"}, {Mods: modsOf(ModCpMask), Version: isa(8, 6), Target: 100, Section: "9.7.9.25.4"},
	{Mods: modsOf(ModGather4), Version: isa(8, 6), Target: 100, Section: "9.7.9.25.5"}, {Mods: modsOf(ModGather4), Suffix: "shared::cluster", Version: isa(8, 6), Target: 100, Specific: true, Section: "9.7.9.25.5"},
	{Mods: modsOf(ModScatter4), Version: isa(8, 6), Target: 100, Specific: true, Section: "9.7.9.25.5"}}

var tensormapAvailability = []Availability{{Mods: modsOf(ModReplace), Version: isa(8, 2), Target: 90, Specific: true}, {Mods: modsOf(ModCpFenceproxy), Version: isa(8, 3), Target: 90}}

var texAvailability = []Availability{always, {Mods: modsOf(ModA1d, ModA2d), Version: isa(2, 3)}, {Mods: modsOf(ModLevel, ModGrad), Version: isa(3, 1), Target: 20},
	{Indirect: true, Version: isa(3, 1), Target: 20}}

var tld4Availability = []Availability{from(isa(2, 2), 20), {Mods: modsOf(ModA2d), Version: isa(4, 3), Target: 30}, {Indirect: true, Version: isa(3, 1), Target: 20}}

var sustAvailability = joinRows(surfaceAvailability, []Availability{{Mods: modsOf(ModP), Version: isa(2, 0), Target: 20}})

var suredAvailability = []Availability{from(isa(2, 0), 20), {Indirect: true, Version: isa(3, 1), Target: 20}, {Any: wides, Mods: modsOf(ModMin, ModMax), Version: isa(8, 1), Target: 50}}

var callAvailability = []Availability{always, {Operands: 4, Version: isa(2, 1), Target: 20}}

var barAvailability = []Availability{always, {Operands: 2, Version: isa(2, 0), Target: 20}, {Mods: modsOf(ModArrive, ModRed), Version: isa(2, 0), Target: 20},
	{Mods: modsOf(ModCta), Version: isa(7, 8)}, {Mods: modsOf(ModWarp), Version: isa(6, 0), Target: 30, Section: "9.7.13.2"}}

var barrierAvailability = []Availability{from(isa(6, 0), 30), {Mods: modsOf(ModCta), Version: isa(7, 8)}, {Mods: modsOf(ModCluster), Version: isa(7, 8), Target: 90, Section: "9.7.13.3"},
	{Mods: modsOf(ModCluster), With: ordered, Version: isa(8, 0), Target: 90, Section: "9.7.13.3"}}

var membarAvailability = []Availability{{Mods: modsOf(ModCta, ModGl), Version: isa(1, 4)}, {Mods: modsOf(ModSys), Version: isa(2, 0), Target: 20}, {Mods: modsOf(ModProxy), Version: isa(7, 5), Target: 60}}

var fenceAvailability = []Availability{from(isa(6, 0), 70), {Mods: modsOf(ModProxy), Version: isa(7, 5), Target: 70}, {Mods: modsOf(ModAsync, ModMbarrierInit), Version: isa(8, 0), Target: 90}, {Mods: modsOf(ModTensormapGeneric), Version: isa(8, 3), Target: 90}}

var atomAvailability = joinRows([]Availability{from(isa(1, 1), 11), {Mods: modsOf(ModCas), Any: typesOf(B16), Version: isa(6, 3), Target: 70}, {Any: typesOf(B128), Version: isa(8, 3), Target: 90}}, atomicAvailability)

var redAvailability = joinRows([]Availability{from(isa(1, 2), 11), {Mods: modsOf(ModAsync), Version: isa(8, 1), Target: 90, Section: "9.7.13.7"}, {Mods: modsOf(ModAsync), With: modsOf(ModRelease), Version: isa(8, 7), Target: 100, Section: "9.7.13.7"}}, atomicAvailability)

var voteAvailability = []Availability{from(isa(1, 2), 12), {Mods: modsOf(ModBallot), Version: isa(2, 0), Target: 20}, {Mods: modsOf(ModSync), Version: isa(6, 0), Target: 30},
	{Without: modsOf(ModSync), Until: isa(6, 4), Removed: 70, Section: "9.7.13.8"}}

var mbarrierAvailability = []Availability{from(isa(7, 0), 80), {Mods: modsOf(ModParity), Version: isa(7, 1), Target: 80}, {Mods: modsOf(ModTryWait), Version: isa(7, 8), Target: 90}, {Mods: modsOf(ModExpectTx, ModCompleteTx), Version: isa(8, 0), Target: 90}}

var pmeventAvailability = []Availability{from(isa(1, 4), 0), {Mods: modsOf(ModMask), Version: isa(3, 0), Target: 20}}

var wgmmaAvailability = []Availability{{Version: isa(8, 0), Target: 90, Specific: true}, {Mods: modsOf(ModSp), Version: isa(8, 2), Target: 90, Specific: true, Section: "9.7.15.6.3"}}

var setmaxnregAvailability = []Availability{{Version: isa(8, 0), Target: 90, Specific: true}}

// joinRows concatenates rows.
func joinRows(lists ...[]Availability) []Availability {
	var all []Availability
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// floatAvailability is that of floating-point sums and products (9.7.3.3, 9.7.4.1).
var floatAvailability = []Availability{
	{Any: f64s, Target: 13, Section: "9.7.3.3"}, {Any: f32s, Mods: directed, Target: 20, Section: "9.7.3.3"},
	{Any: smalls, Version: isa(4, 2), Target: 53, Section: "9.7.4.1"}, {Any: brains, Version: isa(7, 8), Target: 90, Section: "9.7.4.1"},
	pairAvailability,
}

// pairAvailability is that of .f32x2.
var pairAvailability = Availability{Any: typesOf(F32x2), Version: isa(8, 6), Target: 100, Section: "9.7.3.3"}

var sumAvailability = joinRows([]Availability{always,
	{Mods: modsOf(ModCC), Version: isa(1, 2), Section: "9.7.2.1"}, {Mods: modsOf(ModCC), Any: wides, Version: isa(4, 3), Target: 20, Section: "9.7.2.1"}}, floatAvailability)

// signAvailability is that of abs and neg, whose half-precision forms came apart.
func signAvailability(halves Version, section string) []Availability {
	return []Availability{always, {Any: f64s, Target: 13}, {Any: smalls, Version: halves, Target: 53, Section: section}, {Any: brains, Version: isa(7, 0), Target: 80, Section: section}}
}

var extremeAvailability = []Availability{always,
	{Any: packed16, Version: isa(8, 0), Target: 90}, {Mods: modsOf(ModRelu), Version: isa(8, 0), Target: 90},
	{Any: f64s, Target: 13, Section: "9.7.3.11"}, {Mods: modsOf(ModNaN), Version: isa(7, 0), Target: 80, Section: "9.7.3.11"},
	{Mods: modsOf(ModXorsign), Version: isa(7, 2), Target: 86, Section: "9.7.3.11"}, {Any: half | bhalf, Version: isa(7, 0), Target: 80, Section: "9.7.4.7"},
	{First: f32s, Operands: 4, Version: isa(8, 8), Target: 100, Section: "9.7.3.11"},
}

// rootAvailability is rcp's and sqrt's.
var rootAvailability = []Availability{always, {Any: f64s, Target: 13}, {Any: f32s, Mods: rounded, Target: 20}, {Any: f64s, Mods: modsOf(ModRz, ModRm, ModRp), Target: 20}}

// accessAvailability is ld's and st's (9.7.9.8, 9.7.9.9, 9.7.9.11).
var accessAvailability = []Availability{always, {Any: f64s, Target: 13},
	{Mods: modsOf(ModVolatile), Version: isa(1, 1)}, {Spaces: noSpace, Version: isa(2, 0), Target: 20}, {Mods: caches, Version: isa(2, 0), Target: 20},
	{Mods: modsOf(ModRelaxed, ModAcquire, ModRelease, ModWeak), Version: isa(6, 0), Target: 70}, loadsOnly,
	{Any: typesOf(B128), Version: isa(8, 3), Target: 70},
	{Vector: 8, Version: isa(8, 8), Target: 100}, {Vector: 4, Any: wides | f64s, Version: isa(8, 8), Target: 100},
}

// loadsOnly is the row of ld.global.nc.
var loadsOnly = Availability{Mods: modsOf(ModNc), Version: isa(3, 1), Target: 32, Section: "9.7.9.9"}

var storeAvailability = joinRows(slices.DeleteFunc(slices.Clone(accessAvailability), func(a Availability) bool { return a == loadsOnly }), []Availability{
	{Mods: modsOf(ModAsync), Version: isa(8, 1), Target: 90, Section: "9.7.9.12"}, {Mods: modsOf(ModAsync), With: modsOf(ModRelease), Version: isa(8, 7), Target: 100, Section: "9.7.9.12"}})

// addressAvailability is isspacep's and cvta's (9.7.9.19, 9.7.9.20).
var addressAvailability = []Availability{from(isa(2, 0), 20),
	{Spaces: spacesOf(SpaceConst), Version: isa(3, 1), Target: 20}, {Spaces: spacesOf(SpaceParam), Version: isa(7, 7), Target: 70}}

// conversionAvailability is cvt's (9.7.9.21, 9.7.9.22).
var conversionAvailability = []Availability{always, {Any: f64s, Target: 13},
	{Mods: modsOf(ModRelu), Version: isa(7, 0), Target: 80}, {First: typesOf(F16x2, BF16, BF16x2, TF32), Version: isa(7, 0), Target: 80},
	{First: f32s, Second: typesOf(BF16), Version: isa(7, 1), Target: 80}, {First: f32s, Second: typesOf(BF16), Mods: modsOf(ModFtz), Version: isa(7, 8), Target: 90},
	{First: typesOf(BF16), Second: int8to64 | typesOf(F16, F64, BF16), Version: isa(7, 8), Target: 90}, {First: int8to64 | typesOf(F16, F64), Second: typesOf(BF16), Version: isa(7, 8), Target: 90},
	{First: typesOf(TF32), Mods: modsOf(ModRn, ModRz), Version: isa(7, 8), Target: 90},
	{First: typesOf(TF32), Mods: modsOf(ModRn, ModRz), With: modsOf(ModSatfinite), Version: isa(8, 6), Target: 100},
	{First: typesOf(F16, F16x2, BF16, BF16x2, TF32), Mods: modsOf(ModSatfinite), Version: isa(8, 1), Target: 80},
	{Any: quarters, Version: isa(7, 8), Target: 89}, {Any: quarters, Only: 89, Version: isa(8, 1), Target: 89},
	{Mods: modsOf(ModPack), Version: isa(6, 5), Target: 72, Section: "9.7.9.22"}, {Mods: modsOf(ModPack), First: typesOf(U4, S4, U2, S2), Version: isa(6, 5), Target: 75, Section: "9.7.9.22"},
}

// queryAvailability is txq's and suq's (9.7.10.5, 9.7.11.4).
var queryAvailability = []Availability{from(isa(1, 5), 0), {Indirect: true, Version: isa(3, 1), Target: 20},
	{Mods: modsOf(ModChannelDataType, ModChannelOrder), Version: isa(2, 1)}, {Mods: modsOf(ModForceUnnormalizedCoords), Version: isa(2, 2)},
	{Mods: modsOf(ModArraySize, ModNumMipmapLevels, ModNumSamples), Version: isa(4, 1), Target: 20}, {Mods: modsOf(ModMemoryLayout), Version: isa(4, 2), Target: 20},
	{Mods: modsOf(ModLevel), Version: isa(4, 3), Target: 30}}

// surfaceAvailability is suld's and sust's (9.7.11.1, 9.7.11.2).
var surfaceAvailability = []Availability{from(isa(1, 5), 0), {Indirect: true, Version: isa(3, 1), Target: 20},
	{Mods: modsOf(ModClamp, ModZero), Version: isa(2, 0), Target: 20}, {Mods: caches, Version: isa(2, 0), Target: 20}, {Mods: modsOf(Mod3d, ModA1d, ModA2d), Version: isa(3, 0), Target: 20}}

// atomicAvailability is what atom and red share (9.7.13.5, 9.7.13.6).
var atomicAvailability = []Availability{
	{Spaces: spacesOf(SpaceShared), Version: isa(1, 2), Target: 12}, {Any: typesOf(B64, U64, S64), Version: isa(1, 2), Target: 12},
	{Any: typesOf(B64, U64, S64), Spaces: spacesOf(SpaceShared), Version: isa(2, 0), Target: 20}, {Spaces: noSpace, Version: isa(2, 0), Target: 20},
	{Any: f32s, Version: isa(2, 0), Target: 20}, {Any: typesOf(B64, U64, S64), Mods: modsOf(ModAnd, ModOr, ModXor, ModMin, ModMax), Version: isa(3, 1), Target: 32},
	{Any: f64s, Version: isa(5, 0), Target: 60}, {Mods: scopes, Version: isa(5, 0), Target: 60}, {Mods: ordered, Version: isa(6, 0), Target: 70},
	{Any: typesOf(F16x2), Version: isa(6, 2), Target: 60}, {Any: typesOf(F16), Version: isa(6, 3), Target: 70}, {Any: brains, Version: isa(7, 8), Target: 90},
	{Vector: 2, Version: isa(8, 1), Target: 90},
}

// wmmaAvailability: by the elements and the shape (9.7.14.4.3 to 9.7.14.4.5).
var wmmaAvailability = []Availability{from(isa(6, 0), 70),
	{Mods: modsOf(ModM8n32k16, ModM32n8k16), Version: isa(6, 1), Target: 70}, {Any: typesOf(S8, U8), Version: isa(6, 3), Target: 72}, {Any: typesOf(S4, U4, B1), Version: isa(6, 3), Target: 75},
	{Any: typesOf(F64, BF16, TF32), Version: isa(7, 0), Target: 80}, {Mods: modsOf(ModM16n16k8, ModM8n8k4), Version: isa(7, 0), Target: 80}, {Mods: modsOf(ModAnd), Version: isa(7, 1), Target: 80}}

// mmaAvailability: likewise (9.7.14.5.14, 9.7.14.6.3).
var mmaAvailability = []Availability{from(isa(6, 4), 70),
	{Mods: modsOf(ModSp), Version: isa(7, 1), Target: 80, Section: "9.7.14.6.3"}, {Mods: modsOf(ModSpOrdered), Version: isa(8, 5), Target: 80, Section: "9.7.14.6.3"},
	{Second: typesOf(F16), Mods: modsOf(ModM16n8k8), Version: isa(6, 5), Target: 75}, {Second: typesOf(F16), Mods: modsOf(ModM16n8k16), Version: isa(7, 0), Target: 80},
	{Second: typesOf(S8, U8), Version: isa(6, 5), Target: 75}, {Second: typesOf(S8, U8), Mods: modsOf(ModM16n8k16, ModM16n8k32), Version: isa(7, 0), Target: 80},
	{Second: typesOf(S4, U4), Version: isa(6, 5), Target: 75}, {Second: typesOf(S4, U4), Mods: modsOf(ModM16n8k32, ModM16n8k64), Version: isa(7, 0), Target: 80},
	{Second: typesOf(B1), Version: isa(7, 0), Target: 75}, {Second: typesOf(B1), Mods: modsOf(ModM16n8k128, ModM16n8k256), Version: isa(7, 0), Target: 80}, {Mods: modsOf(ModAnd), Version: isa(7, 1), Target: 80},
	{Second: typesOf(BF16, TF32, F64), Version: isa(7, 0), Target: 80}, {Second: f64s, Mods: modsOf(ModM16n8k4, ModM16n8k8, ModM16n8k16), Version: isa(7, 8), Target: 90},
	{Second: quarters, Version: isa(8, 4), Target: 89}, {Second: quarters, Mods: modsOf(ModM16n8k16), Version: isa(8, 7), Target: 89}, {Second: quarters, First: typesOf(F16), Version: isa(8, 7), Target: 89}}
