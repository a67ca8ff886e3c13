package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// statusSite holds the processes and clients of the measurement of the status path.
type statusSite struct {
	*site
	members   map[string]dynamic.Interface
	onMembers *observer         // of the floor's Deployments
	onHub     *observer         // of FederatedObjects
	names     map[string]string // of FederatedObjects, by the names of their Deployments
}

// prepareStatus returns when everything runs on the members of both sides and both are watched.
func (s *site) prepareStatus(ctx context.Context) (*statusSite, error) {
	p := &statusSite{site: s, members: map[string]dynamic.Interface{}, names: map[string]string{}}
	for name, config := range s.members.configs {
		c, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, fmt.Errorf("connecting to %s: %w", name, err)
		}
		p.members[name] = c
	}
	all := s.floor.order(0, statusObjects, "1.0.0")
	all.Create = true
	if err := errors.Join(
		s.floor.do(all),
		s.ours.repository.writeObjects(s.ours.workload, 0, statusObjects, "1.0.0"),
		s.ours.repository.push(ctx, "everything"),
	); err != nil {
		return nil, err
	}
	if _, err := s.ours.await(ctx, 0, statusObjects, func() error { return s.ours.pushed(ctx) }); err != nil {
		return nil, err
	}
	if err := p.rest(ctx); err != nil {
		return nil, err
	}
	var objects v1alpha1.FederatedObjectList
	if err := s.ours.declared.List(ctx, &objects, client.InNamespace(federationNamespace)); err != nil {
		return nil, fmt.Errorf("asking for FederatedObjects: %w", err)
	}
	for _, o := range objects.Items {
		if o.Spec.Template.Kind == "Deployment" {
			p.names[o.Spec.Template.Name] = o.Name
		}
	}
	var err error
	if p.onMembers, err = observeStanding(ctx, s.members.configs, deploymentsResource, s.floor.workload.namespace); err != nil {
		return nil, err
	}
	p.onHub, err = observeStanding(ctx, s.hub.configs, federatedResource, federationNamespace)
	return p, err
}

// direct returns the time of the floor.
func (p *statusSite) direct(ctx context.Context, i int, tag string) (time.Duration, error) {
	o := p.floor.order(i, i+1, tag)
	wall, err := p.onMembers.expect(p.floor.places(i, i+1)).await(ctx, p.floor.process, func() error { return p.floor.do(o) })
	return wall, errors.Join(err, p.claim(ctx, p.floor.workload, i, tag), p.rest(ctx))
}

// federated returns the time of ours.
func (p *statusSite) federated(ctx context.Context, i int, tag string) (time.Duration, error) {
	w := p.ours.workload
	if err := errors.Join(p.ours.repository.writeObjects(w, i, i+1, tag), p.ours.repository.push(ctx, "another tag")); err != nil {
		return 0, err
	}
	at := place{hubName, federatedResource.Resource, p.names[w.name(i)]}
	wall, err := p.onHub.expect([]place{at}).await(ctx, p.ours.process, func() error { return p.ours.pushed(ctx) })
	return wall, errors.Join(err, p.claim(ctx, w, i, tag), p.rest(ctx))
}

// claim is the error of saying too early that a Deployment has a tag on all members and was observed there.
func (p *statusSite) claim(ctx context.Context, w workload, i int, tag string) error {
	want := w.object(i, tag)
	for name, member := range p.members {
		u, err := member.Resource(deploymentsResource).Namespace(w.namespace).Get(ctx, w.name(i), metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("asking %s for %s: %w", name, w.name(i), err)
		}
		if image(u) != image(want) || !stands(u) {
			return fmt.Errorf("said to be observed, but %s has %s with %s, generation %d, status %v",
				name, w.name(i), image(u), u.GetGeneration(), u.Object["status"])
		}
	}
	return nil
}

func image(u *unstructured.Unstructured) string {
	containers, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
	if len(containers) == 0 {
		return ""
	}
	first, _ := containers[0].(map[string]any)
	image, _ := first["image"].(string)
	return image
}

// rest returns when the pods of all Deployments have been replaced and accord has been idle for a second.
func (p *statusSite) rest(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, rolloutLimit)
	defer cancel()
	for name, member := range p.members {
		var left string
		err := wait.PollUntilContextCancel(limited, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			all, err := member.Resource(deploymentsResource).List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, err
			}
			left = ""
			for _, u := range all.Items {
				if !rolledOut(&u) {
					left = u.GetNamespace() + "/" + u.GetName()
				}
			}
			return left == "", nil
		})
		if err != nil {
			return fmt.Errorf("waiting for %s of %s to be rolled out: %w", cmp.Or(left, "the Deployments"), name, err)
		}
	}
	return p.ours.process.settle(ctx)
}

// rolledOut says that all pods there are, are new and available.
func rolledOut(u *unstructured.Unstructured) bool {
	wanted, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	for _, field := range []string{"replicas", "updatedReplicas", "availableReplicas"} {
		if n, _, _ := unstructured.NestedInt64(u.Object, "status", field); n != wanted {
			return false
		}
	}
	return stands(u)
}
