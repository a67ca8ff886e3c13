package reconciler

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// establishPoll is how often a CRD is asked whether it is served yet.
const establishPoll = 50 * time.Millisecond

// InstallCRDs makes the CRDs of the hub what this version needs and returns when all are served. Objects that are
// there stay.
func InstallCRDs(ctx context.Context, cfg *rest.Config) error {
	crds, err := v1alpha1.CRDs()
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		return err
	}
	hub, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("hub %s: %w", cfg.Host, err)
	}
	for _, crd := range crds {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
		if err != nil {
			return err
		}
		u := &unstructured.Unstructured{Object: content}
		u.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		unstructured.RemoveNestedField(u.Object, "status")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		if err := hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership); err != nil {
			return fmt.Errorf("installing %s: %w", crd.Name, err)
		}
	}
	for _, crd := range crds {
		if err := established(ctx, hub, crd); err != nil {
			return err
		}
	}
	return nil
}

// established waits until a CRD is served.
func established(ctx context.Context, hub client.Client, crd *apiextensionsv1.CustomResourceDefinition) error {
	err := wait.PollUntilContextCancel(ctx, establishPoll, true, func(ctx context.Context) (bool, error) {
		if err := hub.Get(ctx, client.ObjectKeyFromObject(crd), crd); err != nil {
			return false, err
		}
		for _, c := range crd.Status.Conditions {
			if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be served: %w", crd.Name, err)
	}
	return nil
}
