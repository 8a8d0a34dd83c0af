// SPDX-License-Identifier: Apache-2.0

package organisation

// device is one kind of transistor of the ITRS at 360 K, for widths in micrometres.
type device struct {
	gateF, fringeF       float64 // farad a micrometre of width: ideal gate, fringe
	junctionF, sidewallF float64 // farad a square micrometre of the drain, a micrometre of its edge
	electricUM           float64 // electrical length of the channel
	resistance           float64 // effective resistance of an n-channel device over Vdd/Ion
	vdd, vth, vdsat      float64
	onA, offA, tunnelA   float64 // ampere a micrometre: on, below threshold, through the gate
	oxideF               float64 // farad a square micrometre
	ratio                float64 // width of a p-channel over that of an n-channel device
	mobility, gain       float64 // um2/Vs; transconductance of p over that of n
}

// wiring are the wires of the conservative projection: local ones and semi-global ones.
type wiring struct {
	barrierUM, scatter       float64
	aspect, miller           float64
	horizontal, vertical     float64 // relative permittivity of the dielectric between wires and layers
	layerUM, fringeF, copper float64 // distance of layers, F/um, resistivity in ohm um
}

// table is what CACTI 7 says of a node: its files tech_params/65nm.dat to 22nm.dat.
type table struct {
	performance, lowPower device // itrs-hp, itrs-lop
	wires                 wiring
}

const (
	localPitch      = 2.5 // in feature sizes, all nodes
	semiGlobalPitch = 4
	cellArea        = 146 // in feature sizes squared, all nodes
	cellAspect      = 1.46
	cellAccess      = 1.31 // widths of the transistors of a cell in feature sizes
	cellPMOS        = 1.23
	cellNMOS        = 2.08
)

var nodes = map[int]table{
	65: {
		performance: device{4.69e-16, 7.7e-17, 1e-15, 2.5e-16, 0.019, 1.5, 1.1, 0.19491, 0.0771, 0.0011972, 4.45e-07, 4.09e-08, 1.88e-14, 2.41, 4.3624e+10, 1.38},
		lowPower:    device{6e-16, 8e-17, 1e-15, 2.5e-16, 0.0216, 1.82, 0.8, 0.28512, 0.292, 0.0005731, 2.09e-08, 9.61e-09, 1.87e-14, 2.28, 4.9519e+10, 1.11},
		wires:       wiring{0.006, 1, 2, 1.5, 2.734, 3.9, 0.405, 1.15e-16, 0.022},
	},
	45: {
		performance: device{6.78e-16, 5e-17, 1e-15, 2.5e-16, 0.01345, 1.51, 1, 0.18035, 0.0938, 0.0020466, 6.42e-07, 3.59e-08, 3.77e-14, 2.41, 2.6668e+10, 1.38},
		lowPower:    device{6.2e-16, 7.3e-17, 1e-15, 2.5e-16, 0.016, 1.76, 0.7, 0.22599, 0.0571, 0.0007489, 1.27e-08, 9.82e-08, 2.82e-14, 2.28, 5.089e+10, 1.11},
		wires:       wiring{0.004, 1, 2, 1.5, 2.46, 3.9, 0.315, 1.15e-16, 0.022},
	},
	32: {
		performance: device{5.34e-16, 4e-17, 1e-15, 2.5e-16, 0.01013, 1.49, 0.9, 0.21835, 0.0509, 0.0022117, 5.32e-07, 6.55e-08, 4.11e-14, 2.41, 3.6184e+10, 1.38},
		lowPower:    device{4.54e-16, 5.7e-17, 1e-15, 2.5e-16, 0.01232, 1.73, 0.6, 0.24227, 0.0464, 0.0008278, 1.65e-07, 2.93e-09, 2.84e-14, 2.28, 5.1352e+10, 1.11},
		wires:       wiring{0.003, 1, 2, 1.5, 2.214, 3.9, 0.21, 1.15e-16, 0.022},
	},
	22: {
		performance: device{3.27e-16, 6e-17, 0, 2.5e-16, 0.00468, 1.45, 0.8, 0.1395, 0.0233, 0.0026264, 4.256e-07, 1.81e-09, 3.63e-14, 2, 4.2607e+10, 1.38},
		lowPower:    device{3.16e-16, 8e-17, 0, 2.5e-16, 0.00604, 1.73, 0.6, 0.2315, 0.0181, 0.0009161, 7.91e-07, 2.74e-09, 2.87e-14, 2, 6.9837e+10, 1.11},
		wires:       wiring{0.003, 1.05, 2, 1.5, 2.104, 3.9, 0.15, 1.15e-16, 0.022},
	},
}
