package reconciler_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// forgeToken is what the controllers report with; it may stand nowhere but in its Secret and in requests to the forge.
const forgeToken = "glpat-very-secret-0123456789"

// forgeServer hosts the repository of a test and takes the statuses of its commits as GitHub, GitLab and Gitea do.
type forgeServer struct {
	*httptest.Server
	mu       sync.Mutex
	statuses []commitStatus
	refuse   func(http.ResponseWriter) bool // answers in place of the forge; nil: never
	refused  int
}

// commitStatus is what a forge was told. The three have the same words for most of it.
type commitStatus struct {
	Commit      string `json:"-"`
	State       string `json:"state"`
	Context     string `json:"context"`
	Name        string `json:"name"` // GitLab's word for it
	Description string `json:"description"`
	TargetURL   string `json:"target_url"`
}

// host serves a repository as acme/<federation>.
func host(t *testing.T, r *repository) *forgeServer {
	t.Helper()
	f := &forgeServer{}
	backend, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	name := "/acme/" + r.federation
	git := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(backend)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.bare), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
		Root: name, Stderr: t.Output(),
	}
	mux := http.NewServeMux()
	mux.HandleFunc(name+".git/", func(w http.ResponseWriter, in *http.Request) {
		in.URL.Path = name + "/" + filepath.Base(r.bare) + strings.TrimPrefix(in.URL.Path, name+".git")
		git.ServeHTTP(w, in)
	})
	status := f.status(t)
	mux.HandleFunc("POST /api/v3/repos/acme/"+r.federation+"/statuses/{commit}", status)
	mux.HandleFunc("POST /api/v4/projects/acme%2F"+r.federation+"/statuses/{commit}", status)
	mux.HandleFunc("POST /api/v1/repos/acme/"+r.federation+"/statuses/{commit}", status)
	mux.HandleFunc("GET /api/v1/version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"version":"1.24.0"}`) })
	f.Server = httptest.NewTLSServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *forgeServer) status(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, in *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if in.Header.Get("Authorization") != "Bearer "+forgeToken && in.Header.Get("Authorization") != "token "+forgeToken && in.Header.Get("Private-Token") != forgeToken {
			http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
			return
		}
		if f.refuse != nil && f.refuse(w) {
			f.refused++
			return
		}
		told := commitStatus{}
		if err := json.NewDecoder(in.Body).Decode(&told); err != nil {
			t.Errorf("what the forge was told cannot be read: %v", err)
		}
		told.Commit = in.PathValue("commit")
		f.statuses = append(f.statuses, told)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, "{}")
	}
}

// of a commit, in the order in which they came.
func (f *forgeServer) of(commit string) []commitStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.statuses), func(s commitStatus) bool { return s.Commit != commit })
}

// refusing has the forge answer so from now on.
func (f *forgeServer) refusing(answer func(http.ResponseWriter) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = answer
}

func (f *forgeServer) refusals() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}

// hosted declares a Federation whose repository is on a forge.
func (w *world) hosted(name, provider string, change func(*v1alpha1.FederationSpec)) (*repository, *forgeServer) {
	w.t.Helper()
	r := newRepository(w.t)
	r.federation = name
	f := host(w.t, r)
	api := map[string]string{"github": "/api/v3", "gitlab": "/api/v4", "gitea": "/api/v1"}[provider]
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name + "-bot"}, Data: map[string][]byte{
		"token": []byte(forgeToken + "\n"), "ca.crt": authority(f.Server),
	}})
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		spec.Sources[0].URL = f.URL + "/acme/" + name + ".git"
		spec.Sources[0].SecretRef = &corev1.LocalObjectReference{Name: name + "-bot"}
		spec.Sources[0].CommitStatus = &v1alpha1.CommitStatus{
			Provider: provider, APIURL: f.URL + api, SecretRef: corev1.LocalObjectReference{Name: name + "-bot"},
			Instance: "hub-1", TargetURL: "https://hub.example/releases/{release}",
		}
		change(spec)
	})
	return r, f
}

// reported waits until the last status of a commit is in a state, and returns all of them.
func (w *world) reported(f *forgeServer, commit, state string) []commitStatus {
	w.t.Helper()
	var all []commitStatus
	w.eventually("the forge to be told "+state+" of "+commit, func() error {
		all = f.of(commit)
		return unless(len(all) > 0 && all[len(all)-1].State == state, fmt.Sprintf("%+v", all))
	})
	return all
}

// TestCommitStatus: where a repository is hosted, people see how far each commit got.
func TestCommitStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.play(map[string]func(*testing.T, *world){
		"GitHub":                              func(t *testing.T, w *world) { rollout(t, w, "github", "error") },
		"GitLab":                              func(t *testing.T, w *world) { rollout(t, w, "gitlab", "canceled") },
		"Gitea":                               func(t *testing.T, w *world) { rollout(t, w, "gitea", "error") },
		"a commit that cannot be planned":     brokenCommitStatus,
		"a commit that waits for approval":    unapprovedStatus,
		"a forge that wants to be left alone": rateLimited,
		"a token that is not valid":           badToken,
		"notifications":                       notified,
	})
	t.Run("a restart tells nothing again", func(t *testing.T) {
		inner := *w
		inner.t = t
		restartTellsNothing(t, &inner, w)
	})
	w.discreet()
}

// discreet shows that the token is nowhere in what people read.
func (w *world) discreet() {
	w.t.Helper()
	var events eventsv1.EventList
	var federations v1alpha1.FederationList
	var releases v1alpha1.ReleaseList
	for _, list := range []client.ObjectList{&events, &federations, &releases} {
		require.NoError(w.t, w.hub.List(w.t.Context(), list))
		text, err := json.Marshal(list)
		require.NoError(w.t, err)
		require.NotContains(w.t, string(text), forgeToken)
	}
	require.NotEmpty(w.t, events.Items)
}

// rollout of three commits; superseded is the provider's word for the second.
func rollout(t *testing.T, w *world, provider, superseded string) {
	r, f := w.hosted(provider, provider, func(*v1alpha1.FederationSpec) {})
	began := time.Now()
	first := r.push("first", "app.yaml", configMap(provider, "1"), "policy.yaml", policyFor(provider, both, ""))
	w.ready(r, first)
	all := w.reported(f, first, "success")
	require.Equal(t, "pending", all[0].State)
	require.LessOrEqual(t, len(all), 2+int(time.Since(began)/(5*time.Second)), "the first and the last, and one every five seconds: %+v", all)
	last := all[len(all)-1]
	if provider == "gitlab" {
		last.Context, last.Name = last.Name, ""
	}
	require.Equal(t, commitStatus{
		Commit: first, State: "success", Context: "accord/rollout/hub-1", Description: provider + " 2/2 healthy",
		TargetURL: "https://hub.example/releases/" + provider + "-" + first[:12],
	}, last)

	// A cluster is away: the commit is overtaken before it is done.
	w.cables["cluster-b"].setCut(true)
	second := r.push("second", "app.yaml", configMap(provider, "2"))
	w.condition(r, second, "Ready", metav1.ConditionFalse, "ClustersUnreachable")
	w.eventually("the lost cluster to be told of", func() error {
		all := f.of(second)
		return unless(len(all) > 0 && all[len(all)-1].Description == provider+" 1/2 healthy, 1 unreachable", fmt.Sprintf("%+v", all))
	})
	third := r.push("third", "app.yaml", configMap(provider, "3"))
	all = w.reported(f, second, superseded)
	require.Equal(t, "superseded by "+provider+"-"+third[:12], all[len(all)-1].Description)
	w.cables["cluster-b"].setCut(false)
	w.reported(f, third, "success")
}

func brokenCommitStatus(t *testing.T, w *world) {
	r, f := w.hosted("broken-status", "github", func(*v1alpha1.FederationSpec) {})
	broken := r.push("broken", "app.yaml", "kind: [", "other.yaml", "kind: {")
	all := w.reported(f, broken, "failure")
	release := w.condition(r, broken, "Stalled", metav1.ConditionTrue, "BuildFailed")
	require.True(t, strings.HasPrefix(all[len(all)-1].Description, release.Status.Errors[0][:40]), all[len(all)-1].Description)
	mended := r.push("mended", "app.yaml", configMap("mended", "1"), "other.yaml", "", "policy.yaml", policyFor("mended", both, ""))
	w.reported(f, mended, "success")
	require.Equal(t, "failure", f.of(broken)[len(f.of(broken))-1].State, "the mistake is still one")
}

func unapprovedStatus(t *testing.T, w *world) {
	r, f := w.hosted("unapproved", "github", func(spec *v1alpha1.FederationSpec) { spec.Approval = &v1alpha1.ApprovalPolicy{} })
	sha := r.push("first", "app.yaml", configMap("unapproved", "1"), "policy.yaml", policyFor("unapproved", both, ""))
	release := w.held(r, sha)
	w.eventually("the forge to be told", func() error {
		all := f.of(sha)
		return unless(len(all) > 0 && strings.Contains(all[len(all)-1].Description, release.Spec.PlanDigest[:19]+", which is not approved"), fmt.Sprintf("%+v", all))
	})
	require.Equal(t, "pending", f.of(sha)[0].State)
	w.approve(release, release.Spec.PlanDigest)
	w.reported(f, sha, "success")
}

func rateLimited(t *testing.T, w *world) {
	const pause = 6 * time.Second
	limit := func(out http.ResponseWriter) bool {
		out.Header().Set("Retry-After", fmt.Sprint(pause.Seconds()))
		http.Error(out, `{"message":"slow down"}`, http.StatusTooManyRequests)
		return true
	}
	r, f := w.hosted("limited", "gitlab", func(*v1alpha1.FederationSpec) {})
	f.refusing(limit)
	began := time.Now()
	sha := r.push("first", "app.yaml", configMap("limited", "1"), "policy.yaml", policyFor("limited", both, ""))
	w.ready(r, sha)
	w.complained(r, "rate limit")
	f.refusing(nil)
	w.reported(f, sha, "success")
	require.NotZero(t, f.refusals())
	require.LessOrEqual(t, f.refusals(), 1+int(time.Since(began)/pause), "who asks to be left alone is left alone")
	require.Len(t, f.of(sha), 1, "what was not told is not made up for")
}

func badToken(t *testing.T, w *world) {
	r, f := w.hosted("denied", "github", func(*v1alpha1.FederationSpec) {})
	f.refusing(func(out http.ResponseWriter) bool {
		http.Error(out, `{"message":"no, `+forgeToken+` may not"}`, http.StatusForbidden)
		return true
	})
	sha := r.push("first", "app.yaml", configMap("denied", "1"), "policy.yaml", policyFor("denied", both, ""))
	w.ready(r, sha)
	w.complained(r, "denied")
	w.eventually("it to be tried again", func() error { return unless(f.refusals() >= 2, fmt.Sprint(f.refusals())) })
	require.LessOrEqual(t, f.refusals(), 8, "less and less often")
	f.refusing(nil)
	w.reported(f, sha, "success")
}

// complained waits until an event about a Federation says that its forge could not be told, and shows that it is one only.
func (w *world) complained(r *repository, text string) {
	w.t.Helper()
	w.eventually("an event that says "+text, func() error {
		list := &eventsv1.EventList{}
		require.NoError(w.t, w.hub.List(w.t.Context(), list, client.InNamespace(w.namespace)))
		var notes []string
		for _, e := range list.Items {
			if e.Reason == "CommitStatusFailed" && e.Regarding.Name == r.federation {
				notes = append(notes, e.Note)
			}
		}
		return unless(len(notes) == 1 && strings.Contains(notes[0], text), fmt.Sprint(notes))
	})
}

func restartTellsNothing(t *testing.T, w, outer *world) {
	r, f := w.hosted("restarted", "gitea", func(*v1alpha1.FederationSpec) {})
	first := r.push("first", "app.yaml", configMap("restarted", "1"), "policy.yaml", policyFor("restarted", both, ""))
	w.reported(f, first, "success")
	second := r.push("second", "app.yaml", configMap("restarted", "2"))
	w.reported(f, second, "success")
	release, err := w.release(r, second)
	require.NoError(t, err)
	w.eventually("the Release to remember", func() error {
		release, err = w.release(r, second)
		return unless(strings.HasPrefix(release.Annotations[v1alpha1.CommitStatusAnnotation], `{"main":"success `), fmt.Sprint(release.Annotations, err))
	})
	f.mu.Lock()
	before := len(f.statuses)
	f.mu.Unlock()
	outer.stop()
	outer.run()
	w.repaired("cluster-a", "restarted", "2")
	third := r.push("third", "app.yaml", configMap("restarted", "3"))
	w.reported(f, third, "success")
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.statuses[before:] {
		require.Equal(t, third, s.Commit, "what was done stays done: %+v", s)
	}
}
