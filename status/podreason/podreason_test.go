package podreason

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDefectF12Worst(t *testing.T) {
	pod := func(name string, change func(*corev1.PodStatus)) corev1.Pod {
		p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
		change(&p.Status)
		return p
	}
	waiting := func(name, reason, message string) corev1.Pod {
		return pod(name, func(s *corev1.PodStatus) {
			s.ContainerStatuses = []corev1.ContainerStatus{{Name: "web", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
		})
	}
	killed := func(name string, ready bool) corev1.Pod {
		return pod(name, func(s *corev1.PodStatus) {
			s.ContainerStatuses = []corev1.ContainerStatus{{
				Name: "web", Ready: ready, LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled"}},
			}}
		})
	}
	unschedulable := pod("c", func(s *corev1.PodStatus) {
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available"}}
	})
	leaving := waiting("a", "CrashLoopBackOff", "")
	leaving.DeletionTimestamp = &metav1.Time{}
	for name, c := range map[string]struct {
		pods []corev1.Pod
		want string
	}{
		"no pods":                     {nil, ""},
		"a pod that starts":           {[]corev1.Pod{waiting("a", "ContainerCreating", "")}, ""},
		"an image that is missing":    {[]corev1.Pod{waiting("a", "ImagePullBackOff", `Back-off pulling image "web:9"`)}, `ImagePullBackOff: Back-off pulling image "web:9" (pod a)`},
		"no node has room":            {[]corev1.Pod{unschedulable}, "Unschedulable: 0/3 nodes are available (pod c)"},
		"the worse of two":            {[]corev1.Pod{unschedulable, waiting("b", "CrashLoopBackOff", "")}, "CrashLoopBackOff (pod b)"},
		"killed, and waiting":         {[]corev1.Pod{waiting("a", "CrashLoopBackOff", ""), killed("b", false)}, "OOMKilled: container web (pod b)"},
		"killed once, and ready":      {[]corev1.Pod{killed("b", true)}, ""},
		"the first pod by name":       {[]corev1.Pod{waiting("b", "ErrImagePull", ""), waiting("a", "ErrImagePull", "")}, "ErrImagePull (pod a)"},
		"a pod that is being deleted": {[]corev1.Pod{leaving}, ""},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Worst(c.pods)) })
	}
}
