#!/bin/sh
# Makes PTX at -O0 and -O2 and the expected results of every *.cu in this
# folder. Needs clang 19 with the NVPTX target; -ffp-contract=off keeps host
# and device from fusing differently.
set -e
cd "$(dirname "$0")"
for f in *.cu; do
	name=${f%.cu}
	for o in O0 O2; do
		clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -S -$o -fno-rtti -ffp-contract=off \
			-Xclang -target-feature -Xclang +ptx63 -include both.h "$f" -o "$name.$o.ptx"
	done
	clang-19 -x c++ -O1 -fno-rtti -ffp-contract=off -include both.h "$f" -o /tmp/"$name.host" -lm
	/tmp/"$name.host" >"$name.expected"
	rm /tmp/"$name.host"
done
