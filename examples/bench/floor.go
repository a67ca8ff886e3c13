package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// floorWorkers is the number of concurrent requests of the floor to each member.
const floorWorkers = 8

// order makes the floor apply the objects [From, To) of a workload to all members.
type order struct {
	Namespace string
	Objects   int
	From, To  int
	Tag       string
	// Create has the namespace applied first.
	Create bool
}

// receipt is the floor's answer after an order.
type receipt struct {
	Err string `json:",omitempty"`
}

// floor carries out the orders that it reads, one after the other, until there are no more. Its arguments are the
// kubeconfigs of the members.
func floor(ctx context.Context, kubeconfigs []string, in io.Reader, out io.Writer) error {
	var members []dynamic.Interface
	for _, path := range kubeconfigs {
		config, err := clientConfig(path)
		if err != nil {
			return err
		}
		c, err := dynamic.NewForConfig(config)
		if err != nil {
			return fmt.Errorf("connecting to the member of %s: %w", path, err)
		}
		members = append(members, c)
	}
	orders, receipts := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading an order: %w", err)
		}
		var r receipt
		if err := o.carryOut(ctx, members); err != nil {
			r.Err = err.Error()
		}
		if err := receipts.Encode(r); err != nil {
			return fmt.Errorf("writing a receipt: %w", err)
		}
	}
}

// clientConfig is without limiter: the API server's own fairness decides.
func clientConfig(kubeconfig string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", kubeconfig, err)
	}
	config.QPS = -1
	return config, nil
}

// carryOut returns when every member has accepted everything.
func (o order) carryOut(ctx context.Context, members []dynamic.Interface) error {
	w := workload{namespace: o.Namespace, objects: o.Objects}
	var objects []*unstructured.Unstructured
	for i := o.From; i < o.To; i++ {
		objects = append(objects, w.object(i, o.Tag))
	}
	errs := make([]error, len(members))
	var applying sync.WaitGroup
	for m, member := range members {
		applying.Go(func() { errs[m] = o.toMember(ctx, member, objects) })
	}
	applying.Wait()
	return errors.Join(errs...)
}

func (o order) toMember(ctx context.Context, member dynamic.Interface, objects []*unstructured.Unstructured) error {
	if o.Create {
		if err := apply(ctx, member, workload{namespace: o.Namespace}.space()); err != nil {
			return err
		}
	}
	next := make(chan *unstructured.Unstructured)
	errs := make([]error, floorWorkers)
	var working sync.WaitGroup
	for i := range floorWorkers {
		working.Go(func() {
			for object := range next {
				errs[i] = errors.Join(errs[i], apply(ctx, member, object))
			}
		})
	}
	for _, object := range objects {
		next <- object
	}
	close(next)
	working.Wait()
	return errors.Join(errs...)
}

func apply(ctx context.Context, member dynamic.Interface, u *unstructured.Unstructured) error {
	resource := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	switch u.GetKind() {
	case "Namespace":
		resource.Resource = "namespaces"
	case "Deployment":
		resource.Group, resource.Resource = "apps", "deployments"
	}
	_, err := member.Resource(resource).Namespace(u.GetNamespace()).Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: asFloor, Force: true})
	if err != nil {
		return fmt.Errorf("applying %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}
