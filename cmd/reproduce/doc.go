// SPDX-License-Identifier: Apache-2.0

// Package reproduce repeats the experiments of the papers: which workloads on
// which architectures, what their figures show, and what the papers' text says
// that they show. It records and replays what is missing, and prints ours next
// to the published.
//
// A study is a file of this package (tinycache.go). What its paper claims is
// published/STUDY.yaml: a Claim has the paper's words and the numbers that they are
// read as, and comes to a Verdict on a Table. The explanation of deviations is
// notes/STUDY.md, the measurements behind docs/reproduction.md are
// results/STUDY-SIZE.json. What is kept are the counters of whole runs, so that
// energy is priced again, and never stale, whenever a document is written.
package reproduce
