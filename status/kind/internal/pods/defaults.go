package pods

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// fillPod fills in the API server's defaults of a pod template (pkg/apis/core/v1/defaults.go of Kubernetes), except for
// volumes of storage that Kubernetes no longer supports (RBD, ScaleIO, Azure disks).
func fillPod(spec *corev1.PodSpec) {
	spec.DNSPolicy = cmp.Or(spec.DNSPolicy, corev1.DNSClusterFirst)
	spec.RestartPolicy = cmp.Or(spec.RestartPolicy, corev1.RestartPolicyAlways)
	spec.SchedulerName = cmp.Or(spec.SchedulerName, corev1.DefaultSchedulerName)
	fill(&spec.SecurityContext, corev1.PodSecurityContext{})
	fill(&spec.TerminationGracePeriodSeconds, int64(corev1.DefaultTerminationGracePeriodSeconds))
	spec.ServiceAccountName = cmp.Or(spec.ServiceAccountName, spec.DeprecatedServiceAccount)
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	for i := range spec.Volumes {
		fillVolume(&spec.Volumes[i].VolumeSource)
	}
	for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range list {
			fillContainer(&list[i])
		}
	}
	fillResources(spec.Overhead)
	if spec.Resources != nil {
		fillResources(spec.Resources.Requests)
		fillResources(spec.Resources.Limits)
	}
}

// fill sets an absent field.
func fill[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

func fillContainer(c *corev1.Container) {
	c.ImagePullPolicy = cmp.Or(c.ImagePullPolicy, pullPolicy(c.Image))
	c.TerminationMessagePath = cmp.Or(c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	c.TerminationMessagePolicy = cmp.Or(c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	for i := range c.Ports {
		c.Ports[i].Protocol = cmp.Or(c.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for i := range c.Env {
		if from := c.Env[i].ValueFrom; from != nil {
			fillField(from.FieldRef)
			if from.FileKeyRef != nil {
				fill(&from.FileKeyRef.Optional, false)
			}
		}
	}
	fillResources(c.Resources.Requests)
	fillResources(c.Resources.Limits)
	for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		fillProbe(probe)
	}
	if c.Lifecycle != nil {
		for _, hook := range []*corev1.LifecycleHandler{c.Lifecycle.PostStart, c.Lifecycle.PreStop} {
			if hook != nil {
				fillGet(hook.HTTPGet)
			}
		}
	}
}

// pullPolicy is Always for the tag latest, and for an image with neither tag nor digest, which means latest.
func pullPolicy(image string) corev1.PullPolicy {
	name, digest := image, ""
	if at := strings.IndexByte(image, '@'); at >= 0 {
		name, digest = image[:at], image[at:]
	}
	last := name[strings.LastIndexByte(name, '/')+1:] // a colon before it is of a port
	_, tag, tagged := strings.Cut(last, ":")
	if tag == "latest" || !tagged && digest == "" {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

func fillProbe(p *corev1.Probe) {
	if p == nil {
		return
	}
	p.TimeoutSeconds = cmp.Or(p.TimeoutSeconds, 1)
	p.PeriodSeconds = cmp.Or(p.PeriodSeconds, 10)
	p.SuccessThreshold = cmp.Or(p.SuccessThreshold, 1)
	p.FailureThreshold = cmp.Or(p.FailureThreshold, 3)
	fillGet(p.HTTPGet)
	if p.GRPC != nil {
		fill(&p.GRPC.Service, "")
	}
}

func fillGet(get *corev1.HTTPGetAction) {
	if get != nil {
		get.Path = cmp.Or(get.Path, "/")
		get.Scheme = cmp.Or(get.Scheme, corev1.URISchemeHTTP)
	}
}

func fillField(ref *corev1.ObjectFieldSelector) {
	if ref != nil {
		ref.APIVersion = cmp.Or(ref.APIVersion, "v1")
	}
}

// fillResources rounds up to thousandths.
func fillResources(list corev1.ResourceList) {
	for name, q := range list {
		q.RoundUp(resource.Milli)
		list[name] = q
	}
}
