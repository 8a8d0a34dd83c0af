// SPDX-License-Identifier: Apache-2.0
#include "../host_defines.h"
