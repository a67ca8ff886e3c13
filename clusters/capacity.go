package clusters

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	scheduling "k8s.io/component-helpers/resource"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/list"
)

// Capacity lists a member's nodes and pods, and returns the allocatable and the requested resources (Karmada §4.4),
// within the deadline of ctx. It counts nodes by the grade of models that their free resources reach; models must be
// standard (v1alpha1.StandardResourceModels). Errors are sentences for users, and Reason maps them to a condition's
// reason. The API server answers both lists from its watch cache where possible, and neither list is held in memory
// as a whole.
func Capacity(ctx context.Context, m *Member, models []v1alpha1.ResourceModel) (v1alpha1.ResourceSummary, error) {
	r := capacity{left: map[string]corev1.ResourceList{}, allocatable: corev1.ResourceList{}, allocated: corev1.ResourceList{}, allocating: corev1.ResourceList{}}
	if err := list.Each(ctx, m.server.RESTClient(), nodesPath, "", r.addNode); err != nil {
		return v1alpha1.ResourceSummary{}, explain(m, "listing its nodes", err)
	}
	if err := list.Each(ctx, m.server.RESTClient(), podsPath, activePods, r.addPod); err != nil {
		return v1alpha1.ResourceSummary{}, explain(m, "listing its pods", err)
	}
	return r.summary(models), nil
}

const nodesPath, podsPath = "/api/v1/nodes", "/api/v1/pods"

// activePods selects the pods that occupy resources.
const activePods = "status.phase!=Succeeded,status.phase!=Failed"

// capacity accumulates the sums while nodes and pods are read.
type capacity struct {
	allocatable, allocated, allocating corev1.ResourceList
	left                               map[string]corev1.ResourceList // by node: allocatable minus requested
}

// node holds the fields of a node that are counted.
type node struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Allocatable corev1.ResourceList `json:"allocatable"`
	} `json:"status"`
}

// pod holds the fields of a pod that are counted.
type pod struct {
	Spec struct {
		NodeName       string                       `json:"nodeName"`
		InitContainers []container                  `json:"initContainers"`
		Containers     []container                  `json:"containers"`
		Overhead       corev1.ResourceList          `json:"overhead"`
		Resources      *corev1.ResourceRequirements `json:"resources"`
	} `json:"spec"`
}

type container struct {
	RestartPolicy *corev1.ContainerRestartPolicy `json:"restartPolicy"`
	Resources     corev1.ResourceRequirements    `json:"resources"`
}

func (r capacity) addNode(n *node) {
	add(r.allocatable, n.Status.Allocatable)
	r.left[n.Metadata.Name] = n.Status.Allocatable
}

// addPod adds the requests of one pod. The requests of a pod without a node are waiting to be scheduled.
func (r capacity) addPod(p *pod) {
	requests := p.requests()
	if p.Spec.NodeName == "" {
		add(r.allocating, requests)
		return
	}
	add(r.allocated, requests)
	if left, known := r.left[p.Spec.NodeName]; known {
		for name, q := range requests {
			if has, counted := left[name]; counted {
				has.Sub(q)
				left[name] = has
			}
		}
	}
}

// requests returns the resources that the scheduler reserves for a pod, including one unit of the resource "pods".
func (p *pod) requests() corev1.ResourceList {
	whole := &corev1.Pod{Spec: corev1.PodSpec{Overhead: p.Spec.Overhead, Resources: p.Spec.Resources}}
	for _, c := range p.Spec.InitContainers {
		whole.Spec.InitContainers = append(whole.Spec.InitContainers, corev1.Container{RestartPolicy: c.RestartPolicy, Resources: c.Resources})
	}
	for _, c := range p.Spec.Containers {
		whole.Spec.Containers = append(whole.Spec.Containers, corev1.Container{Resources: c.Resources})
	}
	requests := scheduling.PodRequests(whole, scheduling.PodResourcesOptions{})
	requests[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
	return requests
}

func add(sum, more corev1.ResourceList) {
	for name, q := range more {
		total := sum[name]
		total.Add(q)
		sum[name] = total
	}
}

// summary returns the sums as the status of a Cluster holds them.
func (r capacity) summary(models []v1alpha1.ResourceModel) v1alpha1.ResourceSummary {
	s := v1alpha1.ResourceSummary{Allocatable: r.allocatable, Allocated: r.allocated, Allocating: r.allocating}
	counts := map[uint32]int64{}
	for left := range maps.Values(r.left) {
		if grade, fits := gradeOf(left, models); fits {
			counts[grade]++
		}
	}
	for _, m := range models {
		s.AllocatableModelings = append(s.AllocatableModelings, v1alpha1.AllocatableModeling{Grade: m.Grade, Count: counts[m.Grade]})
	}
	return s
}

// gradeOf returns the highest grade whose minima the free resources of a node reach. A node that accepts no more pods
// or is overcommitted has no grade and is left out; the other nodes still count (Karmada §4.4, B20).
func gradeOf(left corev1.ResourceList, models []v1alpha1.ResourceModel) (grade uint32, fits bool) {
	if left.Pods().Sign() <= 0 {
		return 0, false
	}
	for _, m := range models {
		for _, r := range m.Ranges {
			if has := left[r.Name]; has.Cmp(r.Min) < 0 {
				return grade, fits
			}
		}
		grade, fits = m.Grade, true
	}
	return grade, fits
}
