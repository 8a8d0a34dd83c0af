// SPDX-License-Identifier: Apache-2.0

// Package validation compares the timing model with GPGPU-Sim on the kernels
// and the configuration of gpgpusim.csv. The kernels are recorded by
// reference.star and replayed on the machine gtx480-ref; docs/validation.md is
// the report, D9 and D10 in docs/deviations.md say why what differs does.
package validation
