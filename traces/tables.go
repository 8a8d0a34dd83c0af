// SPDX-License-Identifier: Apache-2.0

package traces

// Table is a paper's table of benchmarks. Workloads that stand in it name it in
// their host program's about.
type Table struct {
	// Name is what about["tables"] calls it; Mark is short, for lists.
	Name, Mark string
	// Paper is the work that the table is in.
	Paper string
}

// Tables are the tables whose benchmarks the catalogue has.
var Tables = []Table{
	{"GPSim thesis Table 4.1", "T4.1", "Sankaranarayanan, Optimizations for energy efficiency in GPGPU architectures, 2016"},
	{"GPSim thesis Table 5.2", "T5.2", "the same"},
	{"Buddy SM Table II", "B2", "Zhang and others, Buddy SM: sharing pipeline front-end for improved energy efficiency in GPGPUs, 2015"},
	{"Decoupled affine computation Table 2", "A2", "Wang and Lin, Decoupled affine computation for SIMT GPUs, 2017"},
	{"Near-data computing Table 3", "N3", "Pattnaik and others, Opportunistic computing in GPU architectures, 2019"},
}
