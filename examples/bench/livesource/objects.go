// Package livesource changes objects of a production cluster at a steady rate, and measures when a standby has each change. It also
// has the floor: a bare client-go program that watches production and applies each change to the standby.
package livesource

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// requestsAtOnce is the number of concurrent requests to one cluster.
const requestsAtOnce = 8

// resources are those that are watched.
var resources = map[string]schema.GroupVersionResource{
	"ConfigMap":  {Version: "v1", Resource: "configmaps"},
	"Deployment": {Group: "apps", Version: "v1", Resource: "deployments"},
}

// Create creates the objects of production, and their namespace before.
func Create(ctx context.Context, production *rest.Config, namespace *unstructured.Unstructured, objects []*unstructured.Unstructured) error {
	c, err := dynamic.NewForConfig(production)
	if err != nil {
		return err
	}
	if _, err := c.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating namespace %s: %w", namespace.GetName(), err)
	}
	creating, ctx := errgroup.WithContext(ctx)
	creating.SetLimit(requestsAtOnce)
	for _, o := range objects {
		creating.Go(func() error {
			if _, err := c.Resource(resources[o.GetKind()]).Namespace(o.GetNamespace()).Create(ctx, o, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("creating %s %s: %w", o.GetKind(), o.GetName(), err)
			}
			return nil
		})
	}
	return creating.Wait()
}
