// SPDX-License-Identifier: Apache-2.0

package dram

import "github.com/warptape/warptape/timing/arch"

// Timing is the constraints between commands, in cycles, with JEDEC's names.
// Those that a data sheet gives indirectly are derived as GPGPU-Sim does.
type Timing struct {
	CL, WL   int64 // column command to data, read and write
	Burst    int64 // data bus cycles of a column command
	RCD      int64 // activate to column command, same bank
	RP       int64 // precharge to activate, same bank
	RAS      int64 // activate to precharge, same bank
	RC       int64 // activate to activate, same bank
	RRD      int64 // activate to activate, any bank
	CCD      int64 // column to column of the same direction, any bank
	CCDL     int64 // column to column, same bank group
	RTP      int64 // read to precharge, same bank
	RTW, WTR int64 // read to write and write to read, any bank
	WTP      int64 // write to precharge, same bank
	FAW      int64 // first to fifth activate, any bank
	RRDL     int64 // activate to activate, same bank group
	WTRL     int64 // write to read, same bank group
	RFC      int64 // refresh to activate, same bank
}

// NewTiming derives the constraints of a machine. RTW = CL + burst + 2 - WL
// keeps two cycles free on the data bus when it turns. WTR = WL + burst + tCDLR
// and WTP = WL + burst + tWR count from the end of the written data. The data
// bus itself is kept free by CCD being at least a burst.
func NewTiming(d *arch.DRAM) Timing {
	burst := int64(d.BurstCycles)
	afterWrite := int64(d.TWL) + burst
	return Timing{
		CL: int64(d.TCL), WL: int64(d.TWL), Burst: burst,
		RCD: int64(d.TRCD), RP: int64(d.TRP), RAS: int64(d.TRAS), RC: int64(d.TRC), RRD: int64(d.TRRD),
		CCD: max(int64(d.TCCD), burst), CCDL: max(int64(d.TCCDL), burst), RTP: int64(d.TRTPL),
		RTW: max(int64(d.TCL)+burst+2-int64(d.TWL), 1),
		WTR: afterWrite + int64(d.TCDLR),
		WTP: afterWrite + int64(d.TWR),
		FAW: int64(d.TFAW), RRDL: max(int64(d.TRRD), int64(d.TRRDL)),
		WTRL: afterWrite + max(int64(d.TCDLR), int64(d.TWTRL)), RFC: int64(d.TRFC),
	}
}
