package agent

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// beat renews the Lease of the agent on the hub until ctx ends. The hub counts the cluster as unreachable when the Lease is not renewed
// any more.
func (a *Agent) beat(ctx context.Context) {
	if a.HubNamespace == "" {
		return
	}
	var lease *coordinationv1.Lease
	for ctx.Err() == nil {
		var err error
		lease, err = a.renew(ctx, lease)
		if !a.leased.Swap(err == nil) && err == nil {
			select {
			case a.back <- struct{}{}:
			default: // the loop knows
			}
		}
		if err != nil && ctx.Err() == nil {
			a.Log.Error("cannot renew the lease of the agent, trying again", "cluster", a.Cluster, "error", err)
		}
		sleep(ctx, a.Lease*3/8) // the hub tolerates that one renewal fails
	}
}

// probeWrites returns the time after which a probe alone is worth a write.
func (a *Agent) probeWrites() time.Duration {
	if a.leased.Load() {
		return reachability.AgentProbeWriteInterval
	}
	return reachability.ProbeWriteInterval
}

// renew renews the Lease as it was written last; nil: it is read first. After an error it is read again.
func (a *Agent) renew(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	if lease == nil {
		lease = &coordinationv1.Lease{}
		key := types.NamespacedName{Namespace: a.HubNamespace, Name: registration.LeaseName(a.Cluster)}
		if err := a.hub.Get(ctx, key, lease); err != nil {
			return nil, fmt.Errorf("reading the lease: %w", err)
		}
	}
	lease.Spec.HolderIdentity = ptr.To(reachability.Agent(a.Cluster))
	lease.Spec.LeaseDurationSeconds = ptr.To(int32(a.Lease / time.Second))
	lease.Spec.RenewTime = &metav1.MicroTime{Time: time.Now()}
	if err := a.hub.Update(ctx, lease); err != nil {
		return nil, fmt.Errorf("writing the lease: %w", err)
	}
	return lease, nil
}
