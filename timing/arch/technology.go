package arch

// Technology is what the chip is made in and the point at which it runs. Timing
// does not depend on it: the clocks are given. The energy model reads it.
type Technology struct {
	NodeNM float64 `yaml:"node_nm" unit:"nm" range:"22..65"` // feature size
	// Devices are those of the memory structures: "high_performance" or
	// "low_power" (ITRS low operating power).
	Devices      string  `yaml:"devices" oneof:"high_performance,low_power"`
	TemperatureK float64 `yaml:"temperature_k" unit:"K" range:"300..400"`
	// VoltageRatio is supply voltage over the node's nominal one.
	VoltageRatio float64 `yaml:"voltage_ratio" unit:"of nominal" range:"0.5..1.3"`
}
