package explain

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// LiveObject is the state of an object on the hub.
type LiveObject struct {
	Hub        string `json:"hub"`
	Federation string `json:"federation,omitempty"`
	// Revision is the revision of the hub. Same reports whether the hub's decision is that of these manifests. Unknown names
	// the parts that cannot be compared: the content of a Secret, of which the hub has no digest.
	Revision string `json:"revision,omitempty"`
	Same     bool   `json:"same"`
	Unknown  string `json:"unknown,omitempty"`
	// Message is the status of the object, or the reason why nothing is known.
	Message            string           `json:"message,omitempty"`
	Summary            v1alpha1.Summary `json:"summary"`
	Generation         int64            `json:"generation,omitempty"`
	ObservedGeneration int64            `json:"observedGeneration,omitempty"`
	Clusters           []liveCluster    `json:"clusters,omitempty"`
}

// liveCluster is the state of the object on one cluster.
type liveCluster struct {
	Cluster string `json:"cluster"`
	// State is empty for a cluster that is not among the ten worst.
	State v1alpha1.State `json:"state,omitempty"`
	// Replicas is the decision of the hub.
	Replicas *int32 `json:"replicas,omitempty"`
	// Decided and Live are digests; they are empty for a Secret.
	Decided string `json:"decided,omitempty"`
	Live    string `json:"live,omitempty"`
	Held    bool   `json:"held,omitempty"`
	Message string `json:"message,omitempty"`
	// Mutated are the applied fields that have other values on the cluster.
	Mutated []v1alpha1.MutatedField `json:"mutatedFields,omitempty"`
	// Differs is the difference to these manifests; empty if there is none.
	Differs string `json:"differs,omitempty"`
}

// newLiveObject returns the state of an object on the hub, on all clusters or on one only, nil without a hub.
func newLiveObject(l *load.LiveHub, p *load.PlannedTree, id manifest.ID, only string) *LiveObject {
	if l == nil {
		return nil
	}
	live := &LiveObject{Hub: l.Config.Host}
	if l.Err != nil {
		live.Message = l.Err.Error()
		return live
	}
	live.Federation = l.Federation.Namespace + "/" + l.Federation.Name
	live.Revision = l.Federation.Status.LastAttemptedRevision
	i := slices.IndexFunc(l.Objects, func(o v1alpha1.FederatedObject) bool { return o.Spec.Template.ID() == id })
	if i < 0 {
		live.Message = "the hub knows of no such object"
		return live
	}
	live.read(&l.Objects[i], l.Deliveries, only)
	live.compare(p, id, only)
	if len(live.Clusters) == 0 {
		live.Message = text.Join(": ", "it goes nowhere", l.Objects[i].Spec.Message)
		if only != "" {
			live.Message = "it does not go to " + only
		}
	}
	if id.IsSecret() {
		for i := range live.Clusters {
			live.Clusters[i].Decided, live.Clusters[i].Live = "", ""
		}
	}
	return live
}

// read reads the decision of the hub and the reports of the clusters.
func (live *LiveObject) read(o *v1alpha1.FederatedObject, deliveries []v1alpha1.Delivery, only string) {
	live.Summary, live.Generation, live.ObservedGeneration = o.Status.Summary, o.Generation, o.Status.ObservedGeneration
	live.Message = progress.MessageOf(progress.Condition(o.Status.Conditions, o.Generation, "Ready"))
	object := o.Spec.Template.ID().String()
	for _, v := range o.Spec.Results {
		for _, cluster := range v.Clusters {
			if only != "" && only != cluster {
				continue
			}
			c := liveCluster{
				Cluster: cluster, Replicas: v.Replicas, Decided: v.Digest, Message: v.Error, Held: slices.Contains(o.Spec.Held, cluster),
			}
			c.read(o.Status.Clusters, deliveries, object)
			live.Clusters = append(live.Clusters, c)
		}
	}
	slices.SortFunc(live.Clusters, func(a, b liveCluster) int { return cmp.Compare(a.Cluster, b.Cluster) })
}

// read reads the status of the object on the cluster, else that of the cluster.
func (c *liveCluster) read(worst []v1alpha1.ObjectOnCluster, deliveries []v1alpha1.Delivery, object string) {
	if i := slices.IndexFunc(worst, func(o v1alpha1.ObjectOnCluster) bool { return o.Cluster == c.Cluster }); i >= 0 {
		c.State, c.Live, c.Message = worst[i].State, worst[i].Digest, cmp.Or(worst[i].Message, c.Message)
	}
	i := slices.IndexFunc(deliveries, func(d v1alpha1.Delivery) bool { return d.Spec.Cluster == c.Cluster })
	if i < 0 {
		c.Message = cmp.Or(c.Message, "it has received nothing yet")
		return
	}
	problems := deliveries[i].Status.Problems
	if j := slices.IndexFunc(problems, func(p v1alpha1.ObjectProblem) bool { return p.Object == object }); j >= 0 {
		c.State, c.Message = cmp.Or(c.State, problems[j].State), cmp.Or(c.Message, problems[j].Message)
	}
	for _, f := range deliveries[i].Status.MutatedFields {
		if f.Object == object {
			f.Object = ""
			c.Mutated = append(c.Mutated, f)
		}
	}
	if len(c.Mutated) > 0 {
		c.Message = cmp.Or(c.Message, "the cluster changed "+phrase.Count(len(c.Mutated), "applied field")+", first "+c.Mutated[0].String())
	}
	if place := progress.DeliveryState(&deliveries[i], ""); place.State == v1alpha1.Unreachable {
		c.State, c.Message = v1alpha1.Unreachable, cmp.Or(c.Message, place.Note)
	}
}

// compare sets where the manifests differ from the decision of the hub.
func (live *LiveObject) compare(p *load.PlannedTree, id manifest.ID, only string) {
	ours := map[string]string{}
	for _, choice := range p.Decision(id).Chosen {
		if only != "" && only != choice.Cluster {
			continue
		}
		ours[choice.Cluster] = "" // as the hub has it when an object cannot be rendered
		for _, o := range p.ForCluster(choice.Cluster).Objects {
			if o.ID == id {
				ours[choice.Cluster] = o.Digest
			}
		}
	}
	live.Same = true
	if id.IsSecret() {
		live.Unknown = "the content of a Secret is not compared"
	}
	for i := range live.Clusters {
		c := &live.Clusters[i]
		switch digest, chosen := ours[c.Cluster]; {
		case !chosen:
			c.Differs = "these manifests do not send it there"
		case digest != c.Decided && !(id.IsSecret() && digest != "" && c.Decided != ""):
			c.Differs = "these manifests have something else"
		}
		live.Same = live.Same && c.Differs == ""
		delete(ours, c.Cluster)
	}
	for cluster := range ours {
		live.Same = false
		live.Clusters = append(live.Clusters, liveCluster{Cluster: cluster, Differs: "only these manifests send it there"})
	}
	slices.SortFunc(live.Clusters, func(a, b liveCluster) int { return cmp.Compare(a.Cluster, b.Cluster) })
}
