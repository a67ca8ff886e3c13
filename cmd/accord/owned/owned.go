// Package owned finds the objects that the controllers of a member create for delivered objects.
package owned

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/podreason"
)

// Object is one object with its state.
type Object struct {
	manifest.ID
	// State is "2 of 2 ready", "Running" or the worst reason of the containers.
	State string
}

// Family has the objects of some namespaces by their owners.
type Family struct {
	children map[manifest.ID][]Object
}

// Read lists the ReplicaSets, Jobs and Pods of namespaces. ReplicaSets without replicas are old versions and are left out.
func Read(ctx context.Context, cfg *rest.Config, namespaces []string) (*Family, error) {
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	f := &Family{children: map[manifest.ID][]Object{}}
	for _, ns := range namespaces {
		if err := f.read(ctx, c, ns); err != nil {
			return nil, err
		}
	}
	for _, list := range f.children {
		slices.SortFunc(list, func(a, b Object) int { return strings.Compare(a.String(), b.String()) })
	}
	return f, nil
}

func (f *Family) read(ctx context.Context, c kubernetes.Interface, namespace string) error {
	sets, err := c.AppsV1().ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range sets.Items {
		if s := &sets.Items[i]; s.Status.Replicas > 0 || s.Spec.Replicas != nil && *s.Spec.Replicas > 0 {
			f.add(appsv1.GroupName, "ReplicaSet", s, fmt.Sprintf("%d of %d ready", s.Status.ReadyReplicas, s.Status.Replicas))
		}
	}
	jobs, err := c.BatchV1().Jobs(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range jobs.Items {
		f.add(batchv1.GroupName, "Job", &jobs.Items[i], jobState(&jobs.Items[i]))
	}
	pods, err := c.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range pods.Items {
		f.add(corev1.GroupName, "Pod", &pods.Items[i], podState(&pods.Items[i]))
	}
	return nil
}

// add adds an object to the children of its controller.
func (f *Family) add(group, kind string, o metav1.Object, state string) {
	owner := metav1.GetControllerOf(o)
	if owner == nil {
		return
	}
	gk := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
	parent := manifest.ID{Group: gk.Group, Kind: gk.Kind, Namespace: o.GetNamespace(), Name: owner.Name}
	f.children[parent] = append(f.children[parent], Object{manifest.ID{Group: group, Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}, state})
}

// Of returns the objects that an object owns, sorted.
func (f *Family) Of(id manifest.ID) []Object { return f.children[id] }

func jobState(j *batchv1.Job) string {
	for _, c := range j.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
			return string(c.Type)
		}
	}
	return fmt.Sprintf("%d active, %d succeeded", j.Status.Active, j.Status.Succeeded)
}

func podState(p *corev1.Pod) string {
	if reason := podreason.Worst([]corev1.Pod{*p}); reason != "" {
		return strings.TrimSuffix(reason, " (pod "+p.Name+")")
	}
	if p.DeletionTimestamp != nil {
		return "Terminating"
	}
	ready := 0
	for _, c := range p.Status.ContainerStatuses {
		if c.Ready {
			ready++
		}
	}
	return fmt.Sprintf("%s, %d of %d ready", p.Status.Phase, ready, len(p.Spec.Containers))
}
