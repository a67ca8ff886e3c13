package record

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// release returns a Release of a live cluster and a repository, which was created a number of seconds after midnight.
func release(second int, gitChanged bool) v1alpha1.Release {
	r := v1alpha1.Release{}
	r.Name, r.CreationTimestamp = fmt.Sprint(second), metav1.Time{Time: time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)}
	r.Spec.Revision = "multi@" + r.Name
	r.Spec.Sources = []v1alpha1.SourceRevision{
		{Name: "policies", Revision: "main@sha1:1", Changed: gitChanged}, {Name: "production", Revision: "cluster@sha256:" + r.Name, Changed: true},
	}
	return r
}

func seconds(all []v1alpha1.Release) string {
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

// TestRetain: a cluster that changes all the time has a Release for each of the last minutes, and commits stay.
func TestRetain(t *testing.T) {
	var older []v1alpha1.Release
	used := map[string]bool{}
	for second := range 1200 { // one by one, as they are made
		newest := release(second, second == 700 || second == 701)
		if second == 615 {
			used[newest.Spec.Revision] = true
		}
		stay, _ := Retain(&newest, older, used)
		older = append([]v1alpha1.Release{newest}, stay...)
	}
	require.Equal(t, "1199 1139 1079 1019 959 899 839 779 719 701 615", seconds(older), "a revision that a cluster runs stays beside the ten")

	all := []v1alpha1.Release{release(3, true), release(2, true), release(1, true)}
	newest := release(4, true)
	stay, expired := Retain(&newest, all, nil)
	require.Equal(t, "3 2 1", seconds(stay), "each commit has its Release")
	require.Empty(t, expired)
}
