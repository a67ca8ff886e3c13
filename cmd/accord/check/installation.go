package check

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// name is the name of the Deployment, the ServiceAccount and the container of accord.
const name = "accord"

// deployment checks the controllers that "accord install" deployed. A hub of "accord up" has none: its process runs them.
func (e *examination) deployment(ctx context.Context) {
	d, err := e.client.AppsV1().Deployments(e.wanted.Namespace).Get(ctx, name, metav1.GetOptions{})
	switch subject := "controllers"; {
	case apierrors.IsNotFound(err):
		e.ok(subject, "no Deployment %s/%s: \"accord up\" or \"accord run\" runs the controllers", e.wanted.Namespace, name)
		return
	case err != nil:
		e.unread(subject, err)
		return
	case d.Status.AvailableReplicas == 0:
		e.fail(subject, fmt.Sprintf("none of %d replicas is available", d.Status.Replicas), "kubectl describe pods -n "+e.wanted.Namespace+" -l app.kubernetes.io/name="+name)
	case d.Status.UnavailableReplicas > 0:
		e.warn(subject, fmt.Sprintf("%d of %d replicas are available", d.Status.AvailableReplicas, d.Status.Replicas),
			"kubectl describe pods -n "+e.wanted.Namespace+" -l app.kubernetes.io/name="+name)
	default:
		e.ok(subject, "%d of %d replicas are available", d.Status.AvailableReplicas, d.Status.Replicas)
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		if c.Name == name {
			e.imageVersion(c.Image)
		}
	}
	e.accountRights(ctx, "system:serviceaccount:"+e.wanted.Namespace+":"+d.Spec.Template.Spec.ServiceAccountName)
}

// imageVersion compares the tag of the image with the version of this binary. An image with another kind of tag says nothing.
func (e *examination) imageVersion(image string) {
	_, tag, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	tag, _, _ = strings.Cut(tag, "@")
	theirs, err := version.ParseSemantic(tag)
	ours, ourErr := version.ParseSemantic(e.wanted.Version)
	switch subject := "version"; {
	case err != nil || ourErr != nil:
		e.ok(subject, "this is accord %s, the controllers run %s", e.wanted.Version, image)
	case theirs.Major() == ours.Major() && theirs.Minor() == ours.Minor():
		e.ok(subject, "this is accord %s, the controllers are %s", e.wanted.Version, tag)
	case theirs.LessThan(ours):
		e.warn(subject, "this is accord "+e.wanted.Version+", and the controllers are older: "+tag, applyManifests)
	default:
		e.warn(subject, "this is accord "+e.wanted.Version+", and the controllers are newer: "+tag, "download accord "+tag)
	}
}

// apis are the APIs of accord that the API server of the hub forwards to it.
var apis = []string{"v1alpha1.delivery.accord.dev", "v1alpha1.cluster.karmada.io", "v1alpha1.search.karmada.io"}

// aggregatedAPIs checks that the API server of the hub reaches the APIs of accord, which agents and commands for members need.
func (e *examination) aggregatedAPIs(ctx context.Context) {
	available := 0
	for _, api := range apis {
		service := &unstructured.Unstructured{}
		service.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"})
		err := e.hub.Get(ctx, client.ObjectKey{Name: api}, service)
		switch subject := "API " + api; {
		case apierrors.IsNotFound(err) || apimeta.IsNoMatchError(err):
			e.warn(subject, "it is not registered: agents and commands for members need it", "start the controllers, or "+applyManifests)
		case err != nil:
			e.unread(subject, err)
		case unavailable(service) != "":
			e.fail(subject, "the hub does not reach it: "+unavailable(service), "kubectl describe apiservice "+api)
		default:
			available++
		}
	}
	if available == len(apis) {
		e.ok("APIs", "the hub reaches the APIs for bundles, for clusters and for search")
	}
}

// unavailable returns the reason why an APIService is not available, and "" if it is.
func unavailable(service *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(service.Object, "status", "conditions") // a status of another shape is not available
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		if condition["type"] == "Available" {
			if condition["status"] == "True" {
				return ""
			}
			return fmt.Sprint(condition["message"])
		}
	}
	return "its state is not known yet"
}
