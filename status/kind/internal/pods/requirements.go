package pods

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	scheduling "k8s.io/component-helpers/resource"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Requirements returns the Requirements of a kind that runs pods (Karmada §6.2): the sum of its containers' requests,
// of each resource at least the request of an init container, and the overhead. A missing request is the limit.
//
// The arithmetic is the scheduler's, also where Karmada has no rule: an init container that keeps running
// (restartPolicy Always, a sidecar) is added to the containers and to every init container after it, and resources of
// the whole pod (spec.resources) replace those of the containers.
func Requirements(find SpecOf) func(*unstructured.Unstructured) corev1.ResourceList {
	return func(u *unstructured.Unstructured) corev1.ResourceList {
		return bounded(scheduling.PodRequests(podOf(find(u)), scheduling.PodResourcesOptions{}))
	}
}

// bounded removes requests of zero and cuts those that are too large to compute with.
func bounded(requests corev1.ResourceList) corev1.ResourceList {
	for name, q := range requests {
		if q.IsZero() {
			delete(requests, name)
		}
		if ceiling := mostRequested(); q.Cmp(ceiling) > 0 {
			requests[name] = ceiling
		}
	}
	return requests
}

// mostRequested returns the largest request of a replica. A larger one fits nowhere either, and overflows in
// thousandths.
func mostRequested() resource.Quantity {
	return *resource.NewQuantity(math.MaxInt64/1000, resource.DecimalSI)
}

// podOf returns a pod with the fields that the scheduler reads to add up requests.
func podOf(spec map[string]any) *corev1.Pod {
	pod := &corev1.Pod{}
	for _, c := range read.Objects(spec, "containers") {
		pod.Spec.Containers = append(pod.Spec.Containers, containerOf(c))
	}
	for _, c := range read.Objects(spec, "initContainers") {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, containerOf(c))
	}
	pod.Spec.Overhead = read.Quantities(spec, "overhead")
	pod.Spec.Resources = &corev1.ResourceRequirements{Requests: podLevel(spec, pod)}
	return pod
}

// containerOf returns a container with its requests, and its limits where it has no request.
func containerOf(c map[string]any) corev1.Container {
	requests := read.Quantities(c, "resources", "limits")
	for name, q := range read.Quantities(c, "resources", "requests") {
		requests[name] = q
	}
	out := corev1.Container{Resources: corev1.ResourceRequirements{Requests: requests}}
	if read.Text(c, "restartPolicy") == string(corev1.ContainerRestartPolicyAlways) {
		always := corev1.ContainerRestartPolicyAlways
		out.RestartPolicy = &always
	}
	return out
}

// podLevel returns the requests of the pod as a whole. A limit replaces a missing request only if no container requests
// the resource, like the API server's default.
func podLevel(spec map[string]any, pod *corev1.Pod) corev1.ResourceList {
	requests := read.Quantities(spec, "resources", "requests")
	ofContainers := scheduling.AggregateContainerRequests(pod, scheduling.PodResourcesOptions{})
	for name, q := range read.Quantities(spec, "resources", "limits") {
		_, whole := requests[name]
		_, single := ofContainers[name]
		if !whole && !single {
			requests[name] = q
		}
	}
	return requests
}
