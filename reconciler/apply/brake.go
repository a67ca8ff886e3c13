package apply

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/permit"
)

// brake says why remove is not deleted; empty if it may be. The review of a plan asks the same (permit.Prune).
func (d *delivery) brake(remove []manifest.ID) string {
	if d.options.AllowPrune {
		return ""
	}
	return permit.Prune(d.options.Brake, remove, d.live.Len(), d.options.Nothing)
}
