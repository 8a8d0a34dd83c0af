// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import "errors"

// Unload gives back the device's memory of the kernel, and of its variant by segments.
func (p *program) Unload() error {
	var failed error
	if p.divided != nil {
		failed = p.divided.Unload()
		p.divided = nil
	}
	if loaded := p.module.loaded; loaded != nil {
		p.module = module{}
		failed = errors.Join(failed, loaded.Unload())
	}
	return failed
}
