package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

var namespace = Kind{Health: health.Present(namespaceHealth)}

// namespaceHealth: a namespace that is being deleted accepts no objects.
func namespaceHealth(_, status map[string]any) (Health, string) {
	if read.Text(status, "phase") == "Terminating" {
		return Progressing, "is being deleted"
	}
	return Healthy, ""
}
