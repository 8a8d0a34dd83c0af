// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Process is what a process that works on a sweep tells of itself while it runs. Its file
// goes with it; that of a killed process is removed by the next one that ends the sweep.
type Process struct {
	ID string `json:"id"` // of this run of the program, drawn at random
	// Beat grows with every version of the file. A process that sees it grow knows that
	// this one lives, whatever the clocks of the nodes say.
	Beat uint64 `json:"beat"`
	// Host and PID are for people. Place tells processes of one kernel and one namespace
	// of process numbers from all others; empty where there is no such thing. Birth tells
	// two processes with one number apart.
	Host  string `json:"host"`
	PID   int    `json:"pid"`
	Place string `json:"place,omitempty"`
	Birth string `json:"birth,omitempty"`
	// Shard of Shards is the part that it makes; zero shards: all.
	Shard  int `json:"shard"`
	Shards int `json:"shards"`
	// Seconds since it began to replay, by its own clock, in which it has replayed so many
	// warp instructions and made so many points.
	Seconds      float64 `json:"seconds"`
	Instructions uint64  `json:"warp_instructions"`
	Made         int     `json:"made"`
	Failed       int     `json:"failed"`
	Trace        string  `json:"trace"` // the label of that which is replayed
	// Claims are the keys of points that it replays now.
	Claims []string `json:"claims"`
}

const (
	processes     = "processes"
	processSuffix = ".json"
	// maxProcessBytes of a file are read.
	maxProcessBytes = 1 << 20
)

// part names the folder of processes that make the same points.
func (p *Process) part() string { return Part(p.Shard, p.Shards) }

// Part names the points that processes make: those of a shard, or all.
func Part(shard, shards int) string {
	if shards <= 0 {
		return "all"
	}
	return fmt.Sprintf("%d-of-%d", shard, shards)
}

func (s *Store) processPath(sweep, part, id string) string {
	return filepath.Join(sweeps, sweep, processes, part, id+processSuffix)
}

// PutProcess tells what a process does. It need not outlive a loss of power.
func (s *Store) PutProcess(sweep string, p *Process) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.place(s.processPath(sweep, p.part(), p.ID), text, false)
}

// RemoveProcess takes the file of a process away, and folders that are empty then.
func (s *Store) RemoveProcess(sweep string, p *Process) error {
	path := filepath.Join(s.root, s.processPath(sweep, p.part(), p.ID))
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for folder := filepath.Dir(path); filepath.Base(filepath.Dir(folder)) != sweeps; folder = filepath.Dir(folder) {
		if os.Remove(folder) != nil {
			break // another process has a file there
		}
	}
	return nil
}

// Processes lists those of a sweep that make a part (Part), or any part where that is "".
// Files that cannot be read are left out: they are about to change.
func (s *Store) Processes(sweep, part string) ([]Process, error) {
	if err := CheckName(sweep); err != nil {
		return nil, err
	}
	root := filepath.Join(s.root, sweeps, sweep, processes)
	parts := []string{part}
	if part == "" {
		entries, err := os.ReadDir(root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		parts = parts[:0]
		for _, e := range entries {
			parts = append(parts, e.Name())
		}
	}
	var list []Process
	for _, part := range parts {
		entries, err := os.ReadDir(filepath.Join(root, part))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			id, ok := strings.CutSuffix(e.Name(), processSuffix)
			if p := readProcess(filepath.Join(root, part, e.Name())); ok && p != nil && p.ID == id && p.part() == part {
				list = append(list, *p)
			}
		}
	}
	return list, nil
}

func readProcess(path string) *Process {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxProcessBytes {
		return nil
	}
	text, err := os.ReadFile(path)
	var p Process
	if err != nil || json.Unmarshal(text, &p) != nil {
		return nil
	}
	return &p
}
