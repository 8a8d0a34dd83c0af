// SPDX-License-Identifier: Apache-2.0

// Package messages converts the model of a trace to the messages of the file format and back.
// A conversion to the model takes any message; numbers that are out of range become such
// that the model's Validate refuses. CheckSize bounds what a message costs to decode.
package messages

import (
	"maps"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

func FromHeader(h *trace.Header) *wtapepb.Header {
	m := &wtapepb.Header{Tool: h.Tool, Program: h.Program, ProgramDigest: h.ProgramDigest, Seed: h.Seed, Sampling: h.Sampling}
	for _, name := range slices.Sorted(maps.Keys(h.Arguments)) {
		m.Arguments = append(m.Arguments, &wtapepb.NamedValue{Name: name, Value: h.Arguments[name]})
	}
	m.Ptx, m.Data = fromDigests(h.PTX), fromDigests(h.Data)
	return m
}

func fromDigests(files []trace.SourceDigest) []*wtapepb.SourceDigest {
	var list []*wtapepb.SourceDigest
	for _, f := range files {
		list = append(list, &wtapepb.SourceDigest{Name: f.Name, Digest: f.Digest})
	}
	return list
}

func toDigests(list []*wtapepb.SourceDigest) []trace.SourceDigest {
	var files []trace.SourceDigest
	for _, f := range list {
		files = append(files, trace.SourceDigest{Name: f.GetName(), Digest: f.GetDigest()})
	}
	return files
}

func ToHeader(m *wtapepb.Header) trace.Header {
	h := trace.Header{
		Tool: m.GetTool(), Program: m.GetProgram(), ProgramDigest: m.GetProgramDigest(),
		Seed: m.GetSeed(), Sampling: m.GetSampling(),
	}
	if len(m.GetArguments()) > 0 {
		h.Arguments = make(map[string]string, len(m.Arguments))
	}
	for _, a := range m.GetArguments() {
		h.Arguments[a.Name] = a.Value
	}
	h.PTX, h.Data = toDigests(m.GetPtx()), toDigests(m.GetData())
	return h
}
