// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	rounds  = regexp.MustCompile(`(?:and\.b32 (%n\d+), %b32_\d+, 3|mov\.u32 (%n\d+), \d);\n(?:\tmov\.b32 %mask\d+, %mask\d+;\n)?L\d+:\n`)
	meeting = regexp.MustCompile(`\t(?:@\S+ )?(?:bar|barrier)\.(?:cta\.)?(?:sync|red|arrive)`)
	tickets = regexp.MustCompile(`atom\.(global|shared)\.\S+ .*\[(counters|tallies)\+(\d+)\]`)
)

// In a loop whose threads go round by what they have there is no barrier of the thread block: some would wait for ever. In
// loops that all go round as often there are some.
func TestNoBarrierLiesInALoopThatThreadsLeaveOneByOne(t *testing.T) {
	list := forms(t)
	apart, together, barriers := 0, 0, 0
	for seed := uint64(0); seed < 8 || seed < 60 && barriers == 0; seed++ {
		text := New(list, Options{Seed: 300 + seed, Statements: 60}).Text
		for _, at := range rounds.FindAllStringSubmatchIndex(text, -1) {
			data := at[2] >= 0
			counter := text[max(at[2], at[4]):max(at[3], at[5])]
			body, _, ends := strings.Cut(text[at[1]:], "\tsub.u32 "+counter+", "+counter+", 1;")
			if !ends {
				t.Fatalf("seed %d: the loop of %s has no end", seed, counter)
			}
			switch found := meeting.FindString(body); {
			case !data:
				together++
				if found != "" {
					barriers++
				}
			case found != "":
				t.Errorf("seed %d: %q lies in the loop of %s", seed, found, counter)
			default:
				apart++
			}
		}
	}
	if apart < 10 || together < 5 || barriers < 1 {
		t.Errorf("%d loops by data, %d others, %d of them with barriers", apart, together, barriers)
	}
}

// Tickets are words of their table in the memory where it lies, and not always the same one.
func TestTicketsAreWordsOfTheirTables(t *testing.T) {
	list, places := forms(t), map[string]bool{}
	for seed := range uint64(6) {
		for _, c := range tickets.FindAllStringSubmatch(New(list, Options{Seed: seed, Statements: 60, Ordered: true}).Text, -1) {
			at, _ := strconv.Atoi(c[3])
			if at%4 != 0 || at >= 64 || (c[1] == "global") != (c[2] == "counters") {
				t.Errorf("seed %d: %s", seed, c[0])
			}
			places[c[2]+c[3]] = true
		}
	}
	if len(places) < 4 {
		t.Errorf("tickets are %v", places)
	}
}
