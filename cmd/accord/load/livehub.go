package load

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// LiveHub is the hub that "why" and "plan" read, and its federation; nil if no hub was requested.
type LiveHub struct {
	*hub.Hub
	Federation *v1alpha1.Federation
	Objects    []v1alpha1.FederatedObject
	Deliveries []v1alpha1.Delivery
	// Err is the reason why the hub cannot be read. Commands explain the manifests nevertheless.
	Err error
	// empty is set if the hub has no Federation. Its Clusters are facts all the same.
	empty bool
}

// FactsErr returns the reason why the hub has no facts for a plan; nil without a hub.
func (l *LiveHub) FactsErr() error {
	if l == nil || l.empty {
		return nil
	}
	return l.Err
}

// ConnectHub finds the Federation on the requested hub: the one of the --federation manifest, the one of that name, or the only
// one. Its skip rules apply, and its paths unless ownPaths is true.
func (f *Flags) ConnectHub(ctx context.Context, to *hub.Flags, ownPaths bool) (*LiveHub, error) {
	if to.Path() == "" {
		return nil, nil
	}
	h, err := to.Connect()
	if err != nil {
		return nil, err
	}
	name, declared := f.FederationName, f.Declared
	if _, err := os.Stat(name); err == nil && declared == nil {
		if declared, err = readFederation(name); err != nil {
			return nil, err
		}
	}
	fromFile := declared != nil
	if fromFile {
		name = federationTitle(declared)
	}
	fed, err := h.Federation(ctx, name)
	if to.Kubeconfig == "" && hub.Transient(err) {
		err = fmt.Errorf("%w; start the hub (accord up), or unset $%s to work without it", err, hub.KubeconfigEnv)
	}
	switch {
	case err != nil && f.FederationName != "" && !fromFile:
		return nil, err
	case err != nil:
		return &LiveHub{Hub: h, Err: err, empty: errors.Is(err, hub.ErrNoFederation)}, nil
	case !fromFile:
		f.Found = fed
		if ownPaths {
			f.Found = fed.DeepCopy()
			f.Found.Spec.Sources = f.sources()
		}
	}
	return &LiveHub{Hub: h, Federation: fed}, nil
}
