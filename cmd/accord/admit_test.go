package main

import (
	"context"
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// admit sends manifests to a real API server as server-side dry-runs, with a pod of each Deployment, because Pod Security checks
// pods. It creates the namespaces: a dry-run needs them.
func admit(ts *testscript.TestScript, neg bool, args []string) {
	cfg, err := hub.ClientConfig(hub.Loader(ts.Getenv("KUBECONFIG"), ""))
	ts.Check(err)
	c, err := client.New(cfg, client.Options{})
	ts.Check(err)
	objects, err := decodeAll(ts.ReadFile(args[0]))
	ts.Check(err)
	err = admitAll(context.Background(), c, objects)
	if neg && err == nil {
		ts.Fatalf("%s was accepted", args[0])
	}
	if !neg {
		ts.Check(err)
	}
}

func admitAll(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	for _, u := range objects {
		o := []client.ApplyOption{tester}
		if u.GetKind() != "Namespace" {
			o = append(o, client.DryRunAll)
		}
		if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), o...); err != nil {
			return fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
		}
		if u.GetKind() != "Deployment" {
			continue
		}
		if err := admitPod(ctx, c, u); err != nil {
			return fmt.Errorf("pod of deployment %s: %w", u.GetName(), err)
		}
	}
	return nil
}

// admitPod tries a pod as the Deployment's controller would create it; its account does not have to exist.
func admitPod(ctx context.Context, c client.Client, deployment *unstructured.Unstructured) error {
	template, _, err := unstructured.NestedMap(deployment.Object, "spec", "template")
	if err != nil {
		return err
	}
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(template, pod); err != nil {
		return err
	}
	pod.ObjectMeta = metav1.ObjectMeta{Namespace: deployment.GetNamespace(), Name: "probe", Labels: pod.Labels}
	return c.Create(ctx, pod, client.DryRunAll)
}
