package main

import (
	"context"
	"os"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// A liveHub is the hub that "why" and "plan" ask about what is live; nil when none was named.
type liveHub struct {
	*hub
	federation *v1alpha1.Federation
	objects    []v1alpha1.FederatedObject
	deliveries []v1alpha1.Delivery
	// err is why the hub cannot be asked; what follows from the manifests is explained nevertheless.
	err error
}

// connect finds the Federation on the hub that was named. With --federation it is that of the manifest, or the one of
// that name; without, the only one there is. What it skips counts, and so do its paths unless there are ownPaths.
func (f *treeFlags) connect(ctx context.Context, to *hubFlags, ownPaths bool) (*liveHub, error) {
	if to.path() == "" {
		return nil, nil
	}
	h, err := to.connect()
	if err != nil {
		return nil, err
	}
	name, fromFile := f.federation, false
	if _, err := os.Stat(name); err == nil {
		written, err := readFederation(name)
		if err != nil {
			return nil, err
		}
		name, fromFile = written.Namespace+"/"+written.Name, true
	}
	if namespace, rest, both := strings.Cut(name, "/"); both {
		h.namespace, h.namespaceGiven, name = namespace, true, rest
	}
	fed, err := h.federation(ctx, name)
	switch {
	case err != nil && f.federation != "" && !fromFile:
		return nil, err
	case err != nil:
		return &liveHub{hub: h, err: err}, nil
	case !fromFile:
		f.known = fed
		if ownPaths {
			f.known = fed.DeepCopy()
			f.known.Spec.Sources = f.sources()
		}
	}
	return &liveHub{hub: h, federation: fed}, nil
}
