package reconciler_test

import (
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestNothingIsLostBySources tries to lose what runs by what can become of a repository. Whatever it is, no object of a member is
// written or deleted, and the next good commit goes on.
func TestNothingIsLostBySources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	for name, c := range map[string]sourceLoss{
		"the repository is another one, and empty": {
			spoil: func(r *repository) (mend func()) {
				require.NoError(r.t, os.Rename(r.bare, r.bare+".away"))
				r.git(r.work, "init", "--quiet", "--bare", "--initial-branch=main", r.bare)
				return func() {
					require.NoError(r.t, os.RemoveAll(r.bare))
					require.NoError(r.t, os.Rename(r.bare+".away", r.bare))
				}
			},
			reason: "FetchFailed",
		},
		"the repository is gone": {
			spoil: func(r *repository) (mend func()) {
				require.NoError(r.t, os.Rename(r.bare, r.bare+".away"))
				return func() { require.NoError(r.t, os.Rename(r.bare+".away", r.bare)) }
			},
			reason: "FetchFailed",
		},
		"the branch is deleted": {
			spoil: func(r *repository) (mend func()) {
				r.git(r.bare, "branch", "-m", "main", "elsewhere")
				return func() { r.git(r.bare, "branch", "-m", "elsewhere", "main") }
			},
			reason: "FetchFailed",
		},
		"the Federation follows a branch that is not there": {
			declare: func(spec *v1alpha1.FederationSpec) { spec.Sources[0].Ref.Branch = "mian" },
			reason:  "FetchFailed",
		},
		"the Federation follows a branch that has something else": {
			spoil: func(r *repository) (mend func()) {
				r.git(r.work, "checkout", "--quiet", "--orphan", "pages")
				r.git(r.work, "rm", "--quiet", "-rf", ".")
				r.git(r.work, "commit", "--quiet", "--allow-empty", "-m", "pages")
				r.git(r.work, "push", "--quiet", "origin", "pages")
				r.git(r.work, "checkout", "--quiet", "main")
				return func() {}
			},
			declare: func(spec *v1alpha1.FederationSpec) { spec.Sources[0].Ref.Branch, spec.Sources[0].Path = "pages", "" },
			reason:  "PruneBlocked",
		},
		"the path is deleted": {
			spoil: func(r *repository) (mend func()) {
				r.push("deleted", "deploy/one/app.yaml", "", "deploy/one/kustomization.yaml", "", "deploy/two/app.yaml", "", "deploy/policy.yaml", "")
				return func() { r.git(r.work, "revert", "--no-edit", "HEAD") }
			},
			reason: "BuildFailed",
		},
		"the Federation follows a path that is not there": {
			declare: func(spec *v1alpha1.FederationSpec) { spec.Sources[0].Path = "depoly" },
			reason:  "BuildFailed",
		},
		"everything under the path is deleted, and a word stays": {
			spoil: func(r *repository) (mend func()) {
				r.push("deleted", "deploy/one/app.yaml", "", "deploy/one/kustomization.yaml", "", "deploy/two/app.yaml", "", "deploy/policy.yaml", "",
					"deploy/README.md", "Nothing is here any more.\n")
				return func() { r.git(r.work, "revert", "--no-edit", "HEAD") }
			},
			reason: "PruneBlocked",
		},
		"one kustomization of two does not build": {
			spoil: func(r *repository) (mend func()) {
				r.push("one does not build, and the other changes", "deploy/one/kustomization.yaml", "resources: [app.yaml, missing.yaml]\n",
					"deploy/two/app.yaml", configMap("two", "changed"))
				return func() { r.git(r.work, "revert", "--no-edit", "HEAD") }
			},
			reason: "BuildFailed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inner := *w
			inner.t = t
			c.lose(&inner, "loss-"+fmt.Sprint(len(inner.rights.repositories)))
		})
	}
	t.Run("a server hangs in the middle of a pack", func(t *testing.T) {
		inner := *w
		inner.t = t
		hangingServer(&inner)
	})
}

// sourceLoss is a way to lose a source.
type sourceLoss struct {
	// spoil the repository; mend undoes it. Nil: nothing happens to it.
	spoil func(*repository) (mend func())
	// declare something wrong in the Federation. Nil: it stays as it is.
	declare func(*v1alpha1.FederationSpec)
	// reason of Ready=False of the Federation.
	reason string
}

func (c sourceLoss) lose(w *world, name string) {
	w.t.Helper()
	r := w.kustomized(name)
	before := w.ours(r)
	require.Len(w.t, before, 4, "two objects on two clusters")

	mend := func() {}
	if c.spoil != nil {
		mend = c.spoil(r)
	}
	spec := w.declared(r).Spec
	if c.declare != nil {
		w.patch(r, func(fed *v1alpha1.Federation) { c.declare(&fed.Spec) })
	}
	w.federationIs(r, "Ready", metav1.ConditionFalse, c.reason)
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that nothing more happens")
	require.Equal(w.t, before, w.ours(r))

	mend()
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec = spec })
	w.ready(r, r.push("it goes on", "deploy/two/app.yaml", configMap(name+"-two", "new")))
	after := w.ours(r)
	for object, seen := range before {
		require.Equal(w.t, seen.uid, after[object].uid, object)
	}
	require.Equal(w.t, "new", w.configMap("cluster-b", name+"-two").Data["key"])
}

// kustomized is a Federation with two objects, one of them by way of kustomize, that are live on both clusters.
func (w *world) kustomized(name string) *repository {
	w.t.Helper()
	r := newRepository(w.t)
	r.federation = name
	w.declare(r, func(spec *v1alpha1.FederationSpec) { spec.Sources[0].Path = "deploy" })
	w.ready(r, r.push("two objects",
		"deploy/one/kustomization.yaml", "resources: [app.yaml]\n", "deploy/one/app.yaml", configMap(name+"-one", "old"),
		"deploy/two/app.yaml", configMap(name+"-two", "old"), "deploy/policy.yaml", policyFor(name, both, "")))
	return r
}

// sighting is one object that was seen.
type sighting struct{ uid, version string }

// ours are the ConfigMaps of a repository's Federation on all members.
func (w *world) ours(r *repository) map[string]sighting {
	w.t.Helper()
	seen := map[string]sighting{}
	for _, cluster := range both {
		list := &corev1.ConfigMapList{}
		require.NoError(w.t, w.members[cluster].List(w.t.Context(), list,
			client.MatchingLabels{v1alpha1.PartOfLabel: w.applySet(r)}))
		for _, cm := range list.Items {
			seen[cluster+" "+cm.Name] = sighting{string(cm.UID), cm.ResourceVersion}
		}
	}
	return seen
}

// hangingServer begins to answer a fetch and never ends.
func hangingServer(w *world) {
	r := newRepository(w.t)
	r.federation = "hanging"
	server := serveGit(w.t, filepath.Dir(r.bare))
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		spec.Sources[0].URL, spec.Sources[0].Insecure = server.URL+"/repository.git", true
		spec.Sources[0].Timeout = metav1.Duration{Duration: 2 * time.Second}
	})
	w.ready(r, r.push("one object", "app.yaml", configMap("hanging", "1"), "gone.yaml", configMap("hanging-too", "1"), "policy.yaml", policyFor("hanging", both, "")))
	before := w.ours(r)

	server.hanging.Store(true)
	sha := r.push("half of it is deleted", "app.yaml", configMap("hanging", "2"), "gone.yaml", "", "large.txt", strings.Repeat("incompressible ", 64))
	w.federationIs(r, "Ready", metav1.ConditionFalse, "FetchFailed")
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that nothing more happens")
	require.NotZero(w.t, server.hung.Load(), "a pack was begun")
	require.Equal(w.t, before, w.ours(r))
	for _, cluster := range both { // what is in force is kept up meanwhile
		require.NoError(w.t, w.members[cluster].Delete(w.t.Context(), w.configMap(cluster, "hanging")))
		w.eventually("it to be back on "+cluster, func() error { return unless(!w.absent(cluster, "hanging"), "it is gone") })
	}

	server.hanging.Store(false)
	w.ready(r, sha)
	w.eventually("the other to go", func() error { return unless(w.absent("cluster-a", "hanging-too"), "it is there") })
}

// gitServer serves repositories by HTTP, until it hangs in the middle of a pack.
type gitServer struct {
	*httptest.Server
	hanging atomic.Bool
	hung    atomic.Int64
}

func serveGit(t *testing.T, root string) *gitServer {
	t.Helper()
	s := &gitServer{}
	path := (&repository{t: t}).git(root, "--exec-path")
	backend := &cgi.Handler{
		Path: filepath.Join(path, "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hanging.Load() || r.Method != http.MethodPost {
			backend.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		backend.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		s.hung.Add(1)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return s
}
