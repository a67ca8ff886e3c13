package load

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestFleetIsWhatTheControllersWillHave(t *testing.T) {
	cluster := func(name, region, endpoint string, labels map[string]string) v1alpha1.Cluster {
		c := v1alpha1.Cluster{}
		c.Name, c.Labels, c.Spec.Region, c.Spec.APIEndpoint = name, labels, region, endpoint
		return c
	}
	declares := func(clusters ...v1alpha1.Cluster) *Tree {
		t := &Tree{}
		t.Parts.Clusters = clusters
		return t
	}
	from := map[string]string{v1alpha1.SourceLabel: "shop.prod"}
	hub := &HubSnapshot{Clusters: []v1alpha1.Cluster{cluster("eu", "eu", "https://eu", map[string]string{"by": "hand", "tier": "old", v1alpha1.SourceLabel: "shop.prod"})}}
	base := declares(cluster("eu", "eu", "", map[string]string{"tier": "old"}))
	leaving := &HubSnapshot{Clusters: slices.Clone(hub.Clusters)}
	leaving.Clusters[0].DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)}
	for _, c := range []struct {
		state string
		hub   *HubSnapshot
		now   *Tree
		want  map[string]string // "region label-tier label-by" by cluster
	}{
		{"declared as before", hub, base, map[string]string{"eu": "eu old hand"}},
		{"relabelled", hub, declares(cluster("eu", "eu", "", map[string]string{"tier": "new"})), map[string]string{"eu": "eu new hand"}},
		{"a field is taken back", hub, declares(cluster("eu", "", "", nil)), map[string]string{"eu": "  hand"}},
		{"it left Git, and was joined by hand", hub, declares(), map[string]string{"eu": "  hand"}},
		{"it left Git, and only Git knew it", &HubSnapshot{Clusters: []v1alpha1.Cluster{cluster("eu", "eu", "", from)}}, declares(), map[string]string{}},
		{"only the hub knows it", &HubSnapshot{Clusters: []v1alpha1.Cluster{cluster("za", "za", "", nil)}}, base, map[string]string{"za": "za  ", "eu": "eu old "}},
		{"it is being removed", leaving, declares(), map[string]string{}},
		{"it is being removed, and will be declared again", leaving, base, map[string]string{"eu": "eu old "}},
		{"another is declared", hub, declares(base.Parts.Clusters[0], cluster("us", "us", "", nil)), map[string]string{"eu": "eu old hand", "us": "us  "}},
		{"nothing is known", nil, declares(cluster("us", "us", "", nil)), map[string]string{"us": "us  "}},
	} {
		t.Run(c.state, func(t *testing.T) {
			got := map[string]string{}
			for _, f := range c.hub.Fleet(base, c.now, "shop.prod") {
				got[f.Name] = f.Region + " " + f.Labels["tier"] + " " + f.Labels["by"]
			}
			require.Equal(t, c.want, got)
		})
	}
}
