package local

import (
	"log/slog"
	"sync"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"k8s.io/klog/v2"

	"github.com/accord-dev/accord/clusters/local/internal/logs"
	_ "github.com/accord-dev/accord/clusters/local/internal/quietetcd" // acts by being there; see its comment
)

// processOnce guards settings that the libraries keep per process, not per server.
var processOnce sync.Once

// prepareProcess sets, once, the values that all control planes of this process share: the output of klog, and the
// size of etcd's preallocated log segments (two of 64 MB by default, 8 MB are plenty here).
func prepareProcess(log *slog.Logger) {
	processOnce.Do(func() {
		wal.SegmentSizeBytes = 8 << 20
		klog.SetLoggerWithOptions(logs.Quiet(log, "kubernetes"), klog.ContextualLogger(true))
	})
}
