package apply

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// brake says why remove is not deleted; empty if it may be. The review of a plan asks the same (propagate.Brake).
func (d *delivery) brake(remove []manifest.ID) string {
	if d.options.AllowPrune {
		return ""
	}
	return propagate.Brake(d.options.Brake, remove, d.live.Len(), d.options.Nothing)
}
