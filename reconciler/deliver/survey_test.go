package deliver

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/discovery"
)

var (
	errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))
	errBroken    = errors.New("it does not answer")
)

func cores(n string) v1alpha1.ResourceSummary {
	return v1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{"cpu": resource.MustParse(n)}}
}

func TestAnswerOf(t *testing.T) {
	t0 := time.Unix(1000, 0)
	type step struct {
		value v1alpha1.ResourceSummary
		err   error
		news  bool
		known string // "" is nothing
	}
	for name, steps := range map[string][]step{
		"the same again is no news":         {{cores("1"), nil, true, "1"}, {cores("1000m"), nil, false, "1"}, {cores("2"), nil, true, "2"}},
		"trouble leaves what was known":     {{cores("1"), nil, true, "1"}, {v1alpha1.ResourceSummary{}, errBroken, true, "1"}, {v1alpha1.ResourceSummary{}, errBroken, false, "1"}, {cores("1"), nil, true, "1"}},
		"what we may not know is not known": {{cores("1"), nil, true, "1"}, {v1alpha1.ResourceSummary{}, errForbidden, true, ""}, {v1alpha1.ResourceSummary{}, errForbidden, false, ""}},
		"trouble from the start":            {{v1alpha1.ResourceSummary{}, errBroken, true, ""}, {cores("1"), nil, true, "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var a answer[v1alpha1.ResourceSummary]
			require.True(t, a.due(t0), "it was never asked")
			for i, s := range steps {
				now := t0.Add(time.Duration(i) * SurveyInterval)
				require.True(t, a.due(now), "step %d", i)
				require.Equal(t, s.news, a.record(s.value, s.err, now), "step %d", i)
				require.False(t, a.due(now.Add(SurveyInterval-1)), "never more often")
				require.Equal(t, s.known == "", a.value == nil, "step %d", i)
				if a.value != nil {
					require.Equal(t, s.known, a.value.Allocatable.Cpu().String(), "step %d", i)
				}
			}
		})
	}
}

func TestInformOfRoom(t *testing.T) {
	t0 := time.Unix(1000, 0)
	before := cores("8")
	for name, c := range map[string]struct {
		answers   []error // nil: 4 cores
		want      string
		at        int64
		says      string
		available metav1.ConditionStatus
	}{
		"never asked":                       {nil, "8", 0, "", ""},
		"answered":                          {[]error{nil}, "4", 1000, "the resources of the nodes were measured", metav1.ConditionTrue},
		"answered, and then no more":        {[]error{nil, errBroken}, "4", 1000, "it does not answer", metav1.ConditionFalse},
		"not answered":                      {[]error{errBroken}, "8", 0, "it does not answer", metav1.ConditionFalse},
		"we may not list pods":              {[]error{errForbidden}, "", 0, "pods is forbidden: no", metav1.ConditionFalse},
		"we may not list pods any more":     {[]error{nil, errForbidden}, "", 0, "pods is forbidden: no", metav1.ConditionFalse},
		"answered again after some trouble": {[]error{errBroken, nil}, "4", 1001, "the resources of the nodes were measured", metav1.ConditionTrue},
	} {
		t.Run(name, func(t *testing.T) {
			w := &Worker{}
			s := &w.survey
			for i, err := range c.answers {
				s.room.record(cores("4"), err, t0.Add(time.Duration(i)*time.Second))
			}
			status := v1alpha1.ClusterStatus{ResourceSummary: before.DeepCopy()}
			w.Inform(&status, 3)
			available := meta.FindStatusCondition(status.Conditions, v1alpha1.ResourceSummaryAvailable)
			require.Equal(t, c.answers != nil, available != nil)
			if available != nil {
				require.Equal(t, c.available, available.Status)
				require.Equal(t, c.says, available.Message)
			}
			if c.want == "" {
				require.Nil(t, status.ResourceSummary)
				return
			}
			require.Equal(t, c.want, status.ResourceSummary.Allocatable.Cpu().String())
			if c.at > 0 {
				require.Equal(t, c.at, status.ResourceSummary.MeasuredAt.Unix())
			}
			require.Nil(t, meta.FindStatusCondition(status.Conditions, v1alpha1.CompleteAPIEnablements), "what it serves was never asked")
		})
	}
}

func TestInformOfKinds(t *testing.T) {
	list := []v1alpha1.APIEnablement{{GroupVersion: "v1", Resources: []v1alpha1.APIResource{{Name: "pods", Kind: "Pod"}}}}
	huge := v1alpha1.APIEnablement{GroupVersion: "v1", Resources: make([]v1alpha1.APIResource, 10_000)}
	for name, c := range map[string]struct {
		before []v1alpha1.APIEnablement
		served discovery.APIs
		err    error
		want   []v1alpha1.APIEnablement
		status metav1.ConditionStatus
		reason string
		says   string
	}{
		"all":                {nil, discovery.APIs{Enablements: list}, nil, list, "True", "Complete", "all kinds that the cluster serves are known"},
		"in part":            {nil, discovery.APIs{Enablements: list, Unavailable: []string{"metrics.k8s.io/v1beta1"}}, nil, list, "False", "Partial", "no answer for metrics.k8s.io/v1beta1"},
		"too many":           {list, discovery.APIs{Enablements: []v1alpha1.APIEnablement{huge}}, nil, nil, "False", "TooMany", "more kinds than can be listed"},
		"nobody answers":     {nil, discovery.APIs{}, errBroken, nil, "False", "Empty", "it does not answer"},
		"nobody answers now": {list, discovery.APIs{}, errBroken, list, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := &Worker{}
			s := &w.survey
			s.served.record(served(c.served), c.err, time.Unix(1000, 0))
			status := v1alpha1.ClusterStatus{APIEnablements: c.before}
			w.Inform(&status, 3)
			require.Equal(t, c.want, status.APIEnablements)
			complete := meta.FindStatusCondition(status.Conditions, v1alpha1.CompleteAPIEnablements)
			if c.status == "" {
				require.Nil(t, complete, "what was known stays")
				return
			}
			require.Equal(t, c.status, complete.Status)
			require.Equal(t, c.reason, complete.Reason)
			require.Contains(t, complete.Message, c.says)
			require.EqualValues(t, 3, complete.ObservedGeneration)

			again := *status.DeepCopy()
			w.Inform(&again, 3)
			require.Equal(t, status, again, "it says the same")
		})
	}
}

func served(apis discovery.APIs) servedAPIs {
	list, ok := apis.ForStatus()
	return servedAPIs{Enabled: list, TooMany: !ok, Missing: apis.Unavailable}
}
