package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// statusObjects is the number of objects in the measurement of the status path: few, of which one changes at a time.
	statusObjects = 6
	// rolloutLimit bounds the time in which all pods are replaced.
	rolloutLimit = 3 * time.Minute
)

var (
	deploymentsResource = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	federatedResource   = v1alpha1.GroupVersion.WithResource("federatedobjects")
)

// statusPath measures how long it takes from a change until it is known to have been observed everywhere, on members
// where the controllers of Kubernetes run and nodes pretend to run pods. For the floor it is known when a watch on each
// member has shown a Deployment of the new generation with a status.observedGeneration that stands with it; ours says it
// itself, by status.observedGeneration of the FederatedObject, which is watched on the hub.
func (b *bench) statusPath(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s, err := b.open(ctx, "status", b.statusMembers, statusObjects, "--controllers", "--nodes", "2")
	if err != nil {
		cancel()
		return err
	}
	defer s.close()
	defer cancel() // of the watches, before what they watch is gone
	p, err := s.prepareStatus(ctx)
	if err != nil {
		return err
	}
	b.say("measuring an image change until it is observed everywhere")
	var floor, ours []time.Duration
	for push := range b.pushes { // in turns, so that both meet the same machine
		i, tag := push%s.ours.workload.deployments(), fmt.Sprintf("1.1.%d", push)
		direct, err := p.direct(ctx, i, tag)
		if err != nil {
			return fmt.Errorf("the floor: %w", err)
		}
		federated, err := p.federated(ctx, i, tag)
		if err != nil {
			return fmt.Errorf("ours: %w", err)
		}
		floor, ours = append(floor, direct), append(ours, federated)
	}
	b.figures.status = compared{floor: cost{wall: middle(floor)}, ours: cost{wall: middle(ours)}}
	return nil
}
