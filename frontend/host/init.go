// SPDX-License-Identifier: Apache-2.0

package host

import "github.com/warptape/warptape/frontend/host/addresses"

func init() { addresses.Restore() }
