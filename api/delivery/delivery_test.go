package delivery_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accord-dev/accord/api/delivery"
)

func TestTheRightsOfAnAgentNameItsCluster(t *testing.T) {
	rules := delivery.AgentRules("eu-1")
	require.Len(t, rules, 5)
	for _, rule := range rules {
		require.Equal(t, []string{"eu-1"}, rule.ResourceNames, "a rule without names allows every bundle")
		require.Equal(t, []string{"delivery.accord.dev"}, rule.APIGroups)
		require.Len(t, rule.Resources, 1)
		require.NotContains(t, rule.Resources[0]+strings.Join(rule.Verbs, ""), "*")
	}
	require.Equal(t, "system:accord:agent:eu-1:8f3k2a", delivery.AgentUser("eu-1", "8f3k2a"))
}

func TestDigests(t *testing.T) {
	good := strings.Repeat("0a", 32)
	require.NoError(t, delivery.CheckDigest(good))
	for _, bad := range []string{"", good[1:], good + "00", strings.ToUpper(good), "sha256:" + good, strings.Repeat("xy", 32), "../../" + good[6:]} {
		require.ErrorContains(t, delivery.CheckDigest(bad), "64 lower-case hexadecimal digits")
	}
}

func TestTheLargestRequestFits(t *testing.T) {
	digests := make([]string, delivery.MaxDigests)
	for i := range digests {
		digests[i] = strings.Repeat("f", 64)
	}
	text, err := json.MarshalIndent(digests, "", "    ")
	require.NoError(t, err)
	require.Less(t, len(text), delivery.MaxRequestBytes)
}

func TestCopiesShareNothing(t *testing.T) {
	list := &delivery.BundleList{Items: []delivery.Bundle{{ObjectMeta: metav1.ObjectMeta{Name: "eu-1", Labels: map[string]string{"a": "b"}}}}}
	c := list.DeepCopyObject().(*delivery.BundleList)
	require.Equal(t, list, c)
	c.Items[0].Labels["a"] = "c"
	require.Equal(t, "b", list.Items[0].Labels["a"])
}

func TestTheKindsAreTheirOwnInternalVersion(t *testing.T) {
	s := runtime.NewScheme()
	require.NoError(t, delivery.AddToScheme(s))
	out, err := s.ConvertToVersion(&delivery.Bundle{}, delivery.GroupVersion)
	require.NoError(t, err)
	require.Equal(t, delivery.GroupVersion.WithKind("Bundle"), out.GetObjectKind().GroupVersionKind())
}
