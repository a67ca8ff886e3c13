package local

import (
	"log/slog"
	"sync"

	"go.etcd.io/etcd/server/v3/storage/wal"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"

	"github.com/accord-dev/accord/clusters/local/internal/logs"
	_ "github.com/accord-dev/accord/clusters/local/internal/quietetcd" // acts by being there; see its comment
)

// processOnce guards settings that the libraries keep per process, not per server.
var processOnce sync.Once

// withoutSnapshots turns off the snapshots of watch caches, one after each write, from which an API server answers lists of an older
// version, and the comparison of these snapshots with the store every five minutes. etcd answers such lists as well. Nearly nobody asks for
// one here, and the snapshots take memory for each record, and CPU time at each write.
var withoutSnapshots = map[string]bool{string(features.ListFromCacheSnapshot): false, string(features.DetectCacheInconsistency): false}

// prepareProcess sets, once, the values that all control planes of this process share: the output of klog, the features, and the
// size of etcd's preallocated log segments (two of 64 MB by default, 8 MB are plenty here).
func prepareProcess(log *slog.Logger) {
	processOnce.Do(func() {
		wal.SegmentSizeBytes = 8 << 20
		utilruntime.Must(utilfeature.DefaultMutableFeatureGate.SetFromMap(withoutSnapshots)) // fails only if there is no such feature
		klog.SetLoggerWithOptions(logs.Quiet(log, "kubernetes"), klog.ContextualLogger(true))
	})
}
