package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestFindRelease(t *testing.T) {
	release := func(name, commit string, age time.Duration, overtaken bool) v1alpha1.Release {
		r := v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{
			Name: name, CreationTimestamp: metav1.Time{Time: time.Unix(1e9, 0).Add(-age)},
			Labels: map[string]string{v1alpha1.RevisionLabelPrefix + "apps": commit, v1alpha1.FederationLabel: "aaaaaaa"},
		}}
		if overtaken {
			r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.Superseded, Status: metav1.ConditionTrue}}
		}
		return r
	}
	all := []v1alpha1.Release{
		release("one", "1111111111", 3*time.Hour, true),
		release("two-old", "2222222222", 3*time.Hour, false),
		release("two-new", "2222222222", time.Hour, true),
		release("three-old", "3333333333", 2*time.Hour, true),
		release("three-new", "3333333333", time.Hour, true),
		release("four", "4444444000", time.Hour, false),
		release("five", "4444444111", time.Hour, false),
		{ObjectMeta: metav1.ObjectMeta{Name: "several"}, Spec: v1alpha1.ReleaseSpec{Revision: "multi@sha256:6666666666"}},
	}
	for _, c := range []struct{ state, commit, want string }{
		{"the whole commit", "1111111111", "one"},
		{"its beginning", "1111111", "one"},
		{"in two releases, one of them current", "2222222", "two-old"},
		{"in two releases, both overtaken", "3333333", "three-new"},
		{"of several sources together", "6666666", "several"},
		{"enough digits to tell it apart", "44444440", "four"},
		{"not there", "9999999", ""},
		{"the value of another label", "aaaaaaa", ""},
	} {
		t.Run(c.state, func(t *testing.T) {
			found, err := findRelease(all, c.commit)
			require.NoError(t, err)
			if c.want == "" {
				require.Nil(t, found)
				return
			}
			require.Equal(t, c.want, found.Name)
		})
	}
	_, err := findRelease(all, "4444444")
	require.EqualError(t, err, "revision 4444444 is ambiguous: 4444444000 or 4444444111")
}
