package fleet

import (
	"fmt"
	"time"
)

// Holds returns the clusters that people hold at a time, with the reason; nil when there are none.
func Holds(all []Cluster, now time.Time) map[string]string {
	var holds map[string]string
	for _, c := range all {
		if !c.Hold.In(now) {
			continue
		}
		if holds == nil {
			holds = map[string]string{}
		}
		holds[c.Name] = c.Hold.String()
		if at := c.Origin.String(); at != "" {
			holds[c.Name] = fmt.Sprintf("%s (%s)", c.Hold, at)
		}
	}
	return holds
}
