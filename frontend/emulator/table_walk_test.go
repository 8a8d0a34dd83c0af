// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

// witnesses are the tests that run a row of the instruction table against
// something that is not the emulator, where the twins do not reach all forms of
// the row. That is a closed form, pseudocode of the ISA, or the host's
// arithmetic.
var witnesses = map[ptx.Opcode]string{
	ptx.OpAddc: "TestCarryChainsAddSubtractAndMultiplyWideNumbers", ptx.OpSubc: "TestCarryChainsAddSubtractAndMultiplyWideNumbers", ptx.OpMadc: "TestCarryChainsAddSubtractAndMultiplyWideNumbers",
	ptx.OpAdd: "TestCarryChainsAddSubtractAndMultiplyWideNumbers", ptx.OpSub: "TestCarryChainsAddSubtractAndMultiplyWideNumbers", ptx.OpMad: "TestCarryChainsAddSubtractAndMultiplyWideNumbers",
	ptx.OpRcp:   "TestApproximationsKeepTheirBoundsOverTheWholeRange",
	ptx.OpRsqrt: "TestApproximationsKeepTheirBoundsOverTheWholeRange", ptx.OpSin: "TestApproximationsKeepTheirBoundsOverTheWholeRange", ptx.OpCos: "TestApproximationsKeepTheirBoundsOverTheWholeRange",
	ptx.OpLg2: "TestApproximationsKeepTheirBoundsOverTheWholeRange", ptx.OpEx2: "TestApproximationsKeepTheirBoundsOverTheWholeRange", ptx.OpTanh: "TestApproximationsKeepTheirBoundsOverTheWholeRange",
	ptx.OpTestp: "TestFloatPropertiesAreTold", ptx.OpSelp: "TestSelectionsOfEveryWidthAndSense", ptx.OpSlct: "TestSelectionBySign",
	ptx.OpAnd: "TestPredicatesCombine", ptx.OpOr: "TestPredicatesCombine", ptx.OpXor: "TestPredicatesCombine", ptx.OpNot: "TestPredicatesCombine",
	ptx.OpMov:  "TestVectorsPackLowElementFirst",
	ptx.OpShfl: "TestShufflesFollowThePseudocode", ptx.OpVote: "TestVotesCountActiveMembersOnly", ptx.OpMatch: "TestMatchFindsPeers",
	ptx.OpActivemask: "TestVotesCountActiveMembersOnly", ptx.OpRedux: "TestReduxReducesOverMembers", ptx.OpElect: "TestElectionHasOneLeaderAmongTheMembers",
	ptx.OpLd: "TestNarrowLoadsExtendByTheirType", ptx.OpSt: "TestVectorAccessesMoveAllElements", ptx.OpLdu: "TestFencesHintsAndPausesChangeNothing",
	ptx.OpIsspacep: "TestGenericAddressesFindTheirSpaces", ptx.OpCvta: "TestGenericAddressesFindTheirSpaces",
	ptx.OpMapa: "TestClustersOfOne", ptx.OpGetctarank: "TestClustersOfOne",
	ptx.OpCp: "TestAsynchronousCopyFillsTheRestWithZeros", ptx.OpMbarrier: "TestMbarriersPassWorkBetweenWarps",
	ptx.OpTex: "TestLinearFilteringOfARampIsTheRamp", ptx.OpTld4: "TestGathersGiveTheFootprintOfAFilter", ptx.OpTxq: "TestQueriesGiveTheTexture", ptx.OpSuq: "TestQueriesGiveTheTexture",
	ptx.OpSuld: "TestSurfaceLoadsReadTheWordAtTheirBytes", ptx.OpSust: "TestSurfaceStoresFormatTexels", ptx.OpSured: "TestSurfaceReductionsReduce",
	ptx.OpBra: "TestNestedDivergenceKeepsEveryLanesValue", ptx.OpBrx: "TestIndexedBranchGroupsLanesByTarget", ptx.OpCall: "TestCallsComputeWhatTheHostComputes",
	ptx.OpRet: "TestRegisterParametersGuardsAndDivergentReturns", ptx.OpExit: "TestEarlyExitLeavesTheOthersRunning", ptx.OpTrap: "TestFaultsSayWhatWhereAndWhy",
	ptx.OpBar: "TestBarrierReductionsCountAllThreads", ptx.OpBarrier: "TestUnalignedBarrierGathersTheWarpFromItsPaths",
	ptx.OpAtom: "TestAtomicsServeLanesInOrder", ptx.OpRed: "TestHalfPrecisionAtomicsRound",
	ptx.OpWmma: "TestWmmaMultipliesInEveryShapeLayoutAndType", ptx.OpMma: "TestMmaFormatsMultiplyInTheFragmentsOfTheISA",
	ptx.OpWgmma: "TestWgmmaMultipliesInEveryTypeAndLayout", ptx.OpTensormap: "TestTensormapReplaceChangesFields",
	ptx.OpLdmatrix: "TestLdmatrixGivesEachLaneItsElements", ptx.OpStmatrix: "TestLdmatrixGivesEachLaneItsElements", ptx.OpMovmatrix: "TestLdmatrixGivesEachLaneItsElements",
}

// effectless are the rows that change nothing that a program sees, and why.
var effectless = map[ptx.Opcode]string{
	ptx.OpPrefetch: "a hint to caches", ptx.OpPrefetchu: "a hint to caches", ptx.OpApplypriority: "a hint to caches",
	ptx.OpCreatepolicy: "policies are hints to caches",
	ptx.OpDiscard:      "leaves memory undefined, which keeps it", ptx.OpMembar: "memory is in order", ptx.OpFence: "memory is in order",
	ptx.OpGriddepcontrol: "launches do not overlap",
	ptx.OpBrkpt:          "there is no debugger", ptx.OpPmevent: "there are no event counters", ptx.OpSetmaxnreg: "registers are not allocated", ptx.OpNanosleep: "time does not pass",
}

// twinnedForms are the forms of the table that the cases of the twins reach.
func twinnedForms(t *testing.T) map[*ptx.Form]bool {
	t.Helper()
	forms := make(map[*ptx.Form]bool)
	var text strings.Builder
	text.WriteString(ptxHeader)
	cases := append(instructionCases(), videoCases()...)
	for i := range cases {
		text.WriteString(cases[i].kernel(fmt.Sprintf("k%d", i)))
	}
	for i, k := range parse(t, "cases.ptx", text.String()).Kernels {
		for j := range k.Body {
			if in := &k.Body[j]; in.Op.String() == cases[i].text[0] {
				forms[in.Form()] = true
			}
		}
	}
	return forms
}

// testSources gives the text of each test function of the package.
func testSources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	sources := make(map[string]string)
	start := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range start.FindAllSubmatch(text, -1) {
			sources[string(m[1])] = string(text) // with the scripts that its file shares
		}
	}
	return sources
}

// Every form of every row runs against a twin, or the row has a test that runs
// it against something else, or it has nothing to show.
func TestEveryRowHasAnOracle(t *testing.T) {
	forms, sources := twinnedForms(t), testSources(t)
	for _, op := range ptx.Opcodes() {
		missing := 0
		for i := range ptx.SpecOf(op).Forms {
			if !forms[&ptx.SpecOf(op).Forms[i]] {
				missing++
			}
		}
		witness, why := witnesses[op], effectless[op]
		switch {
		case witness != "" && why != "":
			t.Errorf("%s has a witness, and a reason to have none", op)
		case missing == 0 && witness+why != "":
			t.Errorf("%s: the twins reach every form; remove %q", op, witness+why)
		case missing > 0 && witness+why == "":
			t.Errorf("%s: no twin reaches %d of %d forms, and no test is named for them", op, missing, len(ptx.SpecOf(op).Forms))
		case witness != "" && sources[witness] == "":
			t.Errorf("%s: there is no %s", op, witness)
		case witness != "" && !regexp.MustCompile(`\b`+op.String()+`\b`).MatchString(sources[witness]):
			t.Errorf("%s does not stand beside %s", op, witness)
		}
	}
}
