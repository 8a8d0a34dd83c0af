// SPDX-License-Identifier: Apache-2.0

package memory

import "github.com/warptape/warptape/timing/counters"

func l2Counts(set *counters.Set) *levelCounts {
	return &levelCounts{
		set: set, read: counters.L2Read, readHit: counters.L2ReadHit, readMiss: counters.L2ReadMiss, readMerge: counters.L2ReadMerge,
		write: counters.L2Write, writeHit: counters.L2WriteHit, writeMiss: counters.L2WriteMiss, atomic: counters.L2Atomic, writeBack: counters.L2WriteBack,
		writeSectorMiss: counters.L2WriteSectorMiss,
	}
}

func llcCounts(set *counters.Set) *levelCounts {
	return &levelCounts{
		set: set, read: counters.LLCRead, readHit: counters.LLCReadHit, readMiss: counters.LLCReadMiss, readMerge: counters.LLCReadMerge,
		write: counters.LLCWrite, writeHit: counters.LLCWriteHit, writeMiss: counters.LLCWriteMiss, writeBack: counters.LLCWriteBack,
		writeSectorMiss: counters.LLCWriteSectorMiss,
	}
}
