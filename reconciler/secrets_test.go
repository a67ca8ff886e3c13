package reconciler_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/reconciler"
	"github.com/accord-dev/accord/reconciler/metrics"
	"github.com/accord-dev/accord/reconciler/webhook"
	"github.com/accord-dev/accord/render"
)

// The values that are in Git, and nowhere else but in Secrets on members.
const (
	inData        = "planted-in-data-51f0"
	inStringData  = "planted-in-string-data-51f1"
	inOverride    = "planted-in-an-override-51f2"
	inRefused     = "725148805113" // a number where a text is wanted: API servers quote it when they refuse it
	inWrongData   = "planted no base64 51f4"
	inOldRevision = "planted-in-an-old-revision-51f5"
)

func secretManifest(name, more string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {namespace: shop, name: %s}\n%s\n", name, more)
}

// secretPolicy sends Secrets to both clusters, and another value to b.
const secretPolicy = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: secrets}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Secret}]
  placement: {clusterAffinity: {clusterNames: [cluster-a, cluster-b]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {namespace: shop, name: secrets}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Secret, name: texts}]
  overrideRules:
  - targetCluster: {clusterNames: [cluster-b]}
    overriders:
      plaintext: [{path: /stringData/password, operator: replace, value: ` + inOverride + `}]
`

// TestNoSecretIsTold plants values wherever accord reads some, lets as much go wrong with them as can, and searches all
// that it says: the log at its most talkative, every object on the hub and on members but the Secrets themselves, events, metrics.
func TestNoSecretIsTold(t *testing.T) {
	w, said := newTalkative(t)
	r, forge := w.hosted("secrets", "github", func(spec *v1alpha1.FederationSpec) {
		spec.WebhookSecretRef = &corev1.LocalObjectReference{Name: "secrets-hook"}
		spec.Sources[0].SecretRef = &corev1.LocalObjectReference{Name: "secrets-git"}
		spec.Mirror = new(true)
	})
	w.secret("secrets-hook", "token", hookKey)
	w.secret("secrets-git", "username", "ada-planted-user", "password", "planted-git-password-51f6", "ca.crt", string(authority(forge.Server)))
	sha := r.push("good", "policy.yaml", secretPolicy,
		"data.yaml", secretManifest("data", "data: {password: "+base64.StdEncoding.EncodeToString([]byte(inData))+"}"),
		"texts.yaml", secretManifest("texts", "stringData: {password: "+inStringData+"}"),
		"old.yaml", secretManifest("old", "stringData: {password: "+inOldRevision+"}"))
	w.ready(r, sha)
	w.reported(forge, sha, "success")
	for _, cluster := range both { // of an agent, the Lease tells it
		page := w.metricsPage()
		require.Contains(t, page, `accord_cluster_reachable{cluster="`+cluster+`"} 1`)
		require.Contains(t, page, `accord_cluster_ready{cluster="`+cluster+`"} 1`)
	}
	require.Equal(t, inOverride, w.delivered("cluster-b", "texts"))
	require.Equal(t, inStringData, w.delivered("cluster-a", "texts"))

	t.Log("a change by hand, and values that no API server accepts")
	edited := &corev1.Secret{}
	require.NoError(t, w.object("cluster-a", edited, "shop", "data"))
	edited.Data["password"] = []byte("planted-by-hand-51f7")
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), edited))
	w.eventually("the change to be repaired", func() error {
		return unless(w.delivered("cluster-a", "data") == inData, "it is not")
	})
	sha = r.push("refused", "old.yaml", "",
		"refused.yaml", secretManifest("refused", "stringData: {pin: "+inRefused+"}"),
		"wrong.yaml", secretManifest("wrong", "data: {password: '"+inWrongData+"'}"))
	w.condition(r, sha, "Ready", metav1.ConditionFalse, "")

	t.Log("servers that repeat what they are sent, and credentials that are none")
	forge.refusing(func(w http.ResponseWriter) bool {
		http.Error(w, "who is "+forgeToken+"?", http.StatusForbidden)
		return true
	})
	w.echoing("echo")
	require.Equal(t, http.StatusForbidden, w.knock(r, "planted-wrong-hook-key-51f8"))
	if *mode == "push" {
		w.breakCredentials("cluster-b")
	}
	sha = r.push("good again", "refused.yaml", "", "wrong.yaml", "")
	if *mode == "push" {
		w.condition(r, sha, "Ready", metav1.ConditionFalse, "ClustersUnreachable")
	} else {
		w.ready(r, sha)
	}
	w.eventually("the forge to be told in vain", func() error { return unless(forge.refusals() > 0, "it was not") })

	planted := w.planted()
	places := map[string]string{"log": said.String(), "metrics": w.metricsPage()}
	for _, plane := range []string{"hub", "cluster-a", "cluster-b"} {
		maps.Copy(places, w.everything(plane))
	}
	require.Greater(t, len(places), 20)
	for place, text := range places {
		for _, value := range planted {
			require.NotContains(t, text, value, place)
		}
	}
	digest := edited.Annotations[v1alpha1.DigestAnnotation]
	require.NotEmpty(t, digest)
	for place, text := range w.everything("hub") {
		require.NotContains(t, text, digest, "the digest of a Secret stands on that Secret and nowhere else: %s", place)
	}
}

// breakCredentials gives a cluster credentials that are none.
func (w *world) breakCredentials(cluster string) {
	w.t.Helper()
	broken := &corev1.Secret{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: cluster}, broken))
	broken.Data["kubeconfig"] = []byte("users: [{name: x, user: {token: planted-kubeconfig-51f9")
	require.NoError(w.t, w.hub.Update(w.t.Context(), broken))
	w.clusterIs(cluster, metav1.ConditionFalse, "")
}

// TestNoDigestOfASecretIsTold has a value that can be guessed go to both clusters in stages, and be changed. Of each version it makes
// all digests, with accord's own code as somebody who guesses would, and searches all that accord says for them.
func TestNoDigestOfASecretIsTold(t *testing.T) {
	w, said := newTalkative(t)
	r := w.federation("pin")
	guessed := map[string]string{}
	push := func(message, pin, other string) string {
		sha := r.push(message, "policy.yaml", secretPolicy+"---\n"+policyFor("pin", both, ""), "rollout.yaml", secretStages,
			"pin.yaml", secretManifest("pin", "stringData: {pin: '"+pin+"'}"), "other.yaml", configMap("other", other))
		w.ready(r, sha)
		maps.Copy(guessed, w.digests(r, both...))
		return sha
	}
	push("a pin", "4711", "1")
	first := w.observed(r, "pin")
	push("another pin", "4712", "1")
	second := w.observed(r, "pin")
	require.Greater(t, second.Generation, first.Generation, "a change moves the generation")
	fingerprint := second.Spec.Results[0].Digest
	require.Regexp(t, "^hmac-sha256:", fingerprint)
	require.NotEqual(t, first.Spec.Results[0].Digest, fingerprint)
	require.Equal(t, both, second.Spec.Results[0].Clusters, "it is the same in both")
	for _, c := range second.Status.Clusters {
		require.Equal(t, fingerprint, c.Digest, "and that is what runs there")
	}
	push("something else", "4712", "2")
	require.Equal(t, second.Generation, w.observed(r, "pin").Generation, "what changes nothing of it does not")
	given := w.delivery(r, "cluster-b").Status.Rollouts

	t.Log("a restart changes nothing of what is told")
	w.stop()
	later := w.talk(&transcript{to: w.log})
	sha := push("something else again", "4712", "3")
	third := w.observed(r, "pin")
	require.Equal(t, second.Generation, third.Generation)
	require.Equal(t, fingerprint, third.Spec.Results[0].Digest)
	require.Equal(t, given, w.delivery(r, "cluster-b").Status.Rollouts, "no stage begins again")

	places := w.everything("hub")
	places["log"], places["log after the restart"], places["metrics"] = said.String(), later.String(), w.metricsPage()
	require.NotEmpty(t, places["log after the restart"])
	key := &corev1.Secret{}
	require.NoError(t, w.hub.Get(t.Context(), client.ObjectKey{Namespace: "accord-system", Name: "accord.fingerprints"}, key))
	guessed[base64.StdEncoding.EncodeToString(key.Data["key"])], guessed[hex.EncodeToString(key.Data["key"])] = "the key", "the key"
	for place, text := range places {
		for digest, of := range guessed {
			require.NotContains(t, text, digest, "%s: %s", place, of)
		}
	}
	release, err := w.release(r, sha)
	require.NoError(t, err)
	require.Equal(t, w.planned(r, both...).Digest(), release.Spec.PlanDigest, "the one that is told is of everything, and these are the digests that are meant")
	pin := &corev1.Secret{}
	require.NoError(t, w.object("cluster-a", pin, "shop", "pin"))
	require.Contains(t, guessed, pin.Annotations[v1alpha1.DigestAnnotation])
}

// secretStages has Secrets go to one cluster after the other.
const secretStages = `apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {namespace: shop, name: secrets}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Secret}]
  stages:
  - {name: a, clusterAffinity: {clusterNames: [cluster-a]}}
  - {name: b, clusterAffinity: {clusterNames: [cluster-b]}}
`

// observed is the record of a Secret when its generation is observed.
func (w *world) observed(r *repository, name string) *v1alpha1.FederatedObject {
	w.t.Helper()
	var o *v1alpha1.FederatedObject
	w.eventually("the generation of "+name+" to be observed", func() (err error) {
		if o, err = w.federated(r, name); err != nil {
			return err
		}
		return unless(o.Status.ObservedGeneration == o.Generation, fmt.Sprintf("%d of %d", o.Status.ObservedGeneration, o.Generation))
	})
	return o
}

// planned is the plan of what is pushed, as anybody can make it.
func (w *world) planned(r *repository, clusters ...string) *propagate.Plan {
	w.t.Helper()
	objects, err := render.Build(os.DirFS(r.work), render.Options{})
	require.NoError(w.t, err)
	parts, err := decode.Sort(objects)
	require.NoError(w.t, err)
	in := parts.Input().WithFederation(w.declared(r))
	for _, name := range clusters {
		in.Fleet = append(in.Fleet, fleet.Cluster{Name: name})
	}
	plan, err := propagate.New(in)
	require.NoError(w.t, err)
	return plan
}

// digests are all that can be made of Secrets in what is pushed, and of what has one in it, with what they are of.
func (w *world) digests(r *repository, clusters ...string) map[string]string {
	w.t.Helper()
	all, plan := map[string]string{}, w.planned(r, clusters...)
	for _, cluster := range clusters {
		all[strings.TrimPrefix(plan.ClusterDigest(cluster), "sha256:")] = "all of a cluster"
		for _, rollout := range plan.Rollouts() {
			all[rollout.Digest(cluster)] = "the rollout on a cluster"
		}
		for _, o := range plan.ForCluster(cluster).Objects {
			if o.ID.IsSecret() {
				all[o.Digest], all[fmt.Sprintf("%x", sha256.Sum256(o.Body.Bytes()))] = o.ID.String(), o.ID.String()
			}
		}
	}
	require.Len(w.t, all, 4, "all get the same")
	return all
}

// newTalkative is a world with two members whose controllers log all that "accord run --verbose" does. Levels below that, at
// which the Kubernetes libraries log the bodies of requests, cannot be asked for.
func newTalkative(t *testing.T) (*world, *transcript) {
	t.Helper()
	heard := &transcript{to: t.Output()}
	w := newWorldAtRest(t, 2, freeAddress(t), heard)
	return w, w.talk(heard)
}

// talk starts the controllers in this process, and has a transcript keep all that they log; w.stop ends them.
func (w *world) talk(said *transcript) *transcript {
	w.t.Helper()
	w.start(reconciler.Options{
		CacheDir: w.t.TempDir(), Sources: everySource(), Webhook: webhook.Options{Address: w.hook}, Metrics: metrics.Options{Address: w.metrics}, SecretsNamespace: w.namespace,
		Log: logr.FromSlogHandler(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	return said
}

// transcript keeps what is written.
type transcript struct {
	to   io.Writer
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(line []byte) (int, error) {
	s.mu.Lock()
	s.text.Write(line)
	s.mu.Unlock()
	return s.to.Write(line)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// secret makes one on the hub, of keys and values in turn.
func (w *world) secret(name string, data ...string) {
	w.t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}, StringData: map[string]string{}}
	for i := 0; i < len(data); i += 2 {
		s.StringData[data[i]] = data[i+1]
	}
	w.create(s)
}

// delivered is the password in a Secret on a member; empty when it is not there.
func (w *world) delivered(cluster, name string) string {
	s := &corev1.Secret{}
	if w.object(cluster, s, "shop", name) != nil {
		return ""
	}
	return string(s.Data["password"])
}

// echoing declares a Federation whose Git server and forge answer with the credentials that they were sent, and waits
// until it says that it cannot be read.
func (w *world) echoing(name string) {
	w.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		user, password, _ := in.BasicAuth()
		http.Error(out, fmt.Sprintf("who is %s, %s:%s?", in.Header.Get("Authorization"), user, password), http.StatusForbidden)
	}))
	w.t.Cleanup(server.Close)
	w.secret(name+"-git", "username", "bob-planted-user", "password", "planted-echoed-password-51fa")
	inURL := strings.Replace(server.URL, "://", "://bob:planted-in-a-url-51fb@", 1)
	for i, at := range []string{server.URL, inURL} {
		r := &repository{t: w.t, federation: fmt.Sprint(name, i)}
		fed := &v1alpha1.Federation{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: r.federation},
			Spec:       v1alpha1.FederationSpec{Sources: []v1alpha1.Source{{Name: "main", URL: at + "/x.git", Insecure: true, SecretRef: &corev1.LocalObjectReference{Name: name + "-git"}}}},
		}
		if i == 1 {
			fed.Spec.Sources[0].SecretRef = nil
		}
		if err := w.hub.Create(w.t.Context(), fed); err != nil { // a password in a URL may be refused
			require.Equal(w.t, 1, i)
			require.NotContains(w.t, err.Error(), "planted-in-a-url")
			continue
		}
		w.federationIs(r, "Ready", metav1.ConditionFalse, "FetchFailed")
		if i == 1 { // the declaration itself has it, which is not what accord says
			require.NoError(w.t, w.hub.Delete(w.t.Context(), fed))
		}
	}
}

// planted is every value that must not be found, as it is and as it may be written.
func (w *world) planted() []string {
	w.t.Helper()
	values := []string{inData, inStringData, inOverride, inRefused, inWrongData, inOldRevision, forgeToken, hookKey,
		"planted-by-hand-51f7", "planted-wrong-hook-key-51f8", "planted-in-a-url-51fb"}
	secrets := &corev1.SecretList{}
	require.NoError(w.t, w.hub.List(w.t.Context(), secrets, client.InNamespace(w.namespace)))
	for _, s := range secrets.Items {
		for key, value := range s.Data {
			if !slices.Contains([]string{clusters.CABundleKey, clusters.ClusterKey, clusters.ServerKey, "ca.crt", "username"}, key) {
				values = append(values, strings.TrimSpace(string(value)))
			}
		}
	}
	for _, v := range slices.Clone(values) {
		values = append(values, base64.StdEncoding.EncodeToString([]byte(v)))
		if escaped := url.QueryEscape(v); escaped != v {
			values = append(values, escaped)
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// everything is all objects of a control plane but Secrets, by kind, namespace and name.
func (w *world) everything(plane string) map[string]string {
	w.t.Helper()
	cfg := rest.CopyConfig(w.planes[plane].Config())
	all, err := dynamic.NewForConfig(cfg)
	require.NoError(w.t, err)
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	require.NoError(w.t, err)
	lists, err := d.ServerPreferredResources()
	require.NoError(w.t, err)
	found := map[string]string{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		require.NoError(w.t, err)
		for _, kind := range list.APIResources {
			if !slices.Contains(kind.Verbs, "list") || gv.Group == "" && kind.Name == "secrets" {
				continue
			}
			objects, err := all.Resource(gv.WithResource(kind.Name)).List(w.t.Context(), metav1.ListOptions{})
			require.NoError(w.t, err, kind.Name)
			for _, o := range objects.Items {
				text, err := json.Marshal(o.Object)
				require.NoError(w.t, err)
				found[plane+" "+kind.Name+" "+o.GetNamespace()+"/"+o.GetName()] = string(text)
			}
		}
	}
	return found
}

// metricsPage is what the controllers tell of themselves.
func (w *world) metricsPage() string {
	w.t.Helper()
	in, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, "http://"+w.metrics+"/metrics", nil)
	require.NoError(w.t, err)
	out, err := http.DefaultClient.Do(in)
	require.NoError(w.t, err)
	defer out.Body.Close()
	page, err := io.ReadAll(out.Body)
	require.NoError(w.t, err)
	require.Contains(w.t, string(page), "accord_")
	return string(page)
}
