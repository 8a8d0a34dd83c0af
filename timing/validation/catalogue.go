// SPDX-License-Identifier: Apache-2.0

package validation

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

var (
	//go:embed catalogue-gtx480.csv
	catalogueGTX480 string
	//go:embed catalogue-qv100.csv
	catalogueQV100 string
)

// Machines are the built-in machines that stand for the reference's configurations, with
// the launches of the catalogue's programs that ran on each.
var Machines = []struct{ Name, Configuration, table string }{
	{"gtx480-ref", "SM2_GTX480", catalogueGTX480},
	{"qv100-ref", "SM7_QV100", catalogueQV100},
}

// Launch is a launch of a program of the catalogue, as the reference ran it. Launches of one
// run follow each other with the L2 warm from copies and earlier launches.
type Launch struct {
	Workload, Size string
	// Settings are the parameters that differ from the size's.
	Settings map[string]string
	// Parameters are size and settings as the table has them; with the workload, they name a
	// run.
	Parameters string
	Index      int // of the launch in its run
	Kernel     string
	Registers  int // per thread
	// WarpInstructions and ThreadInstructions are those of the launch; ThreadInstructions
	// counts lanes that a guard leaves out, too.
	WarpInstructions, ThreadInstructions uint64
	// Cycles of the core, without the latency of the launch.
	Cycles float64
	// L1Misses of L1Accesses, and L2Misses of L2Accesses, are in the reference's requests.
	L1Misses, L1Accesses, L2Misses, L2Accesses uint64
	DRAMReads, DRAMWrites                      uint64
}

// Catalogue gives the launches on one of Machines, those of a run in order.
func Catalogue(machine string) ([]Launch, error) {
	for _, m := range Machines {
		if m.Name == machine {
			return readCatalogue(m.Configuration, m.table)
		}
	}
	return nil, fmt.Errorf("BUG: no launches on %s", machine)
}

// The columns of the tables.
const (
	columnWorkload = iota
	columnParameters
	columnLaunch
	columnKernel
	columnConfiguration
	columnRegisters
	columnNumbers
)

func readCatalogue(configuration, table string) ([]Launch, error) {
	records, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("BUG: launches on %s: %w", configuration, err)
	}
	var list []Launch
	for i, record := range records[1:] {
		l, err := newLaunch(record)
		if err == nil && record[columnConfiguration] != configuration {
			err = fmt.Errorf("is of %s", record[columnConfiguration])
		}
		if err != nil {
			return nil, fmt.Errorf("BUG: launches on %s, line %d: %w", configuration, i+2, err)
		}
		list = append(list, l)
	}
	return list, nil
}

func newLaunch(record []string) (Launch, error) {
	l := Launch{Workload: record[columnWorkload], Parameters: record[columnParameters], Kernel: record[columnKernel], Settings: map[string]string{}}
	var numbers [16]uint64
	var err error
	if l.Index, err = strconv.Atoi(record[columnLaunch]); err != nil {
		return l, err
	}
	if l.Registers, err = strconv.Atoi(record[columnRegisters]); err != nil {
		return l, err
	}
	for i, text := range record[columnNumbers:] {
		if numbers[i], err = strconv.ParseUint(text, 10, 64); err != nil {
			return l, err
		}
	}
	l.WarpInstructions, l.ThreadInstructions, l.Cycles = numbers[0], numbers[1], float64(numbers[2])
	l.L1Misses, l.L1Accesses, l.L2Misses, l.L2Accesses, l.DRAMReads, l.DRAMWrites = numbers[4], numbers[5], numbers[6], numbers[7], numbers[8], numbers[9]
	size, settings, _ := strings.Cut(l.Parameters, " ")
	l.Size = size
	if settings == "-" {
		return l, nil
	}
	for _, s := range strings.Split(settings, ",") {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return l, fmt.Errorf("parameters %q", l.Parameters)
		}
		l.Settings[name] = value
	}
	return l, nil
}
