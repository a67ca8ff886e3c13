package pods

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	scheduling "k8s.io/component-helpers/resource"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Requirements is the Requirements of a kind that runs pods (Karmada §6.2): the requests of its containers together,
// of each resource at least what an init container needs, and the overhead. A request that is missing is the limit.
//
// The arithmetic is the scheduler's, also for what Karmada's rule is silent about: an init container that goes on
// running (restartPolicy Always, a sidecar) is added to the containers and to every init container after it, and
// resources of the whole pod (spec.resources) take the place of those of the containers.
func Requirements(find SpecOf) func(*unstructured.Unstructured) corev1.ResourceList {
	return func(u *unstructured.Unstructured) corev1.ResourceList {
		return bounded(scheduling.PodRequests(podOf(find(u)), scheduling.PodResourcesOptions{}))
	}
}

// bounded leaves out what is nothing, and cuts what is more than anybody has.
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

// mostRequested is the most that a replica is said to request of anything. More fits nowhere either, and is an
// overflow for who computes in thousandths.
func mostRequested() resource.Quantity {
	return *resource.NewQuantity(math.MaxInt64/1000, resource.DecimalSI)
}

// podOf is a pod with what the scheduler reads to sum up requests, and nothing else.
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

// containerOf is a container with what it requests: its requests, and its limits where it has none.
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

// podLevel is what the pod requests as a whole. A limit stands in for a missing request only where no container
// requests anything either, as the API server fills it in.
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
