// Package ci has no code: it runs the pipelines beside it as they are.
package ci

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

// world is what a pipeline meets: a hub with a federation, a Git server, and programs.
type world struct {
	client.Client
	dir        string
	kubeconfig string // the text of the one that kubeconfig.sh prints
	origin     string // the repository with the manifests
}

// TestPipelines runs each job of both systems against a hub that reports a state of the truth table about the commit.
func TestPipelines(t *testing.T) {
	github, gitlab := readGitHub(t), readGitLab(t)
	w := newWorld(t)
	t.Run("GitHub, review", func(t *testing.T) { w.reviews(t, github["review"], w.asGitHub) })
	t.Run("GitLab, review", func(t *testing.T) { w.reviews(t, gitlab["review"], w.asGitLab) })
	t.Run("GitHub, live", func(t *testing.T) { w.follows(t, github["live"], "GITHUB_SHA") })
	t.Run("GitHub, roll-out", func(t *testing.T) { w.rollsOut(t, github["roll-out"]) })
	t.Run("GitLab, live", func(t *testing.T) { w.follows(t, gitlab["live"], "CI_COMMIT_SHA") })
	t.Run("GitLab, roll-out", func(t *testing.T) { w.rollsOut(t, gitlab["roll-out"]) })
	t.Run("the rights", w.changesNothing)
}

// follows: the job ends with the exit code of accord wait for the commit that was pushed.
func (w *world) follows(t *testing.T, j job, variable string) {
	for about, want := range map[string]int{"current": 0, "held": 4, "not renderable": 1, "overtaken, starting": 6} {
		sha := w.commit(t, about)
		w.release(t, sha, about)
		out, code := w.run(t, j, t.TempDir(), variable+"="+sha)
		require.Equal(t, want, code, "%s: %s", about, out)
	}
}

// rollsOut: the job pushes a commit with the tag, waits while accord has not seen it, and ends when it is done.
func (w *world) rollsOut(t *testing.T, j job) {
	checkout := filepath.Join(t.TempDir(), "checkout")
	w.git(t, "clone", "-q", w.origin, checkout)
	before := w.head(t)
	tag := fmt.Sprint("1.4.", time.Now().UnixNano())
	type end struct {
		out  string
		code int
	}
	ended := make(chan end, 1)
	go func() {
		out, code := w.run(t, j, checkout, "TAG="+tag)
		ended <- end{out, code}
	}()
	require.Eventually(t, func() bool { return w.head(t) != before || len(ended) > 0 }, 30*time.Second, 50*time.Millisecond)
	require.Never(t, func() bool { return len(ended) > 0 }, time.Second, 50*time.Millisecond, "nobody has seen the commit")
	sha := w.head(t)
	require.Contains(t, w.git(t, "--git-dir", w.origin, "show", sha+":web.yaml"), "image: registry.example.com/web:"+tag+"\n")
	w.release(t, sha, "starting")
	require.Never(t, func() bool { return len(ended) > 0 }, time.Second, 50*time.Millisecond, "it is on its way")
	w.release(t, sha, "current")
	done := <-ended
	require.Zero(t, done.code, done.out)
	require.Contains(t, done.out, "DONE  shop @ "+sha[:7])
}

// changesNothing: the kubeconfig of a pipeline is good for looking at federations, and for nothing else.
func (w *world) changesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, []byte(w.kubeconfig), 0o600))
	for rights, want := range map[string]string{
		"list releases.accord.dev -n prod": "yes", "watch deliveries.accord.dev -n prod": "yes", "get clusters.accord.dev": "yes",
		"list releases.accord.dev -n default": "no", "get secrets -n prod": "no", "patch federations.accord.dev -n prod": "no", "create pods -n prod": "no",
	} {
		out, _ := exec.CommandContext(t.Context(), w.program("kubectl"), append([]string{"--kubeconfig", file, "auth", "can-i"}, strings.Fields(rights)...)...).Output()
		require.Equal(t, want, strings.TrimSpace(string(out)), rights)
	}
}

// A job is what its steps run, in order, and in which environment.
type job struct {
	scripts []string
	env     []map[string]string
	always  []bool // also after one that failed
}

func readGitHub(t *testing.T) map[string]job {
	var workflow struct {
		Name string         `json:"name"`
		On   map[string]any `json:"true"` // YAML 1.1 reads on so
		Env  map[string]string
		Jobs map[string]struct {
			If             string            `json:"if"`
			RunsOn         string            `json:"runs-on"`
			TimeoutMinutes int               `json:"timeout-minutes"`
			Permissions    map[string]string `json:"permissions"`
			Env            map[string]string
			Steps          []struct {
				Name, Uses, Run, If string
				With                map[string]any
				Env                 map[string]string
			}
		}
	}
	read(t, "github.yaml", &workflow)
	require.Contains(t, workflow.On, "push")
	require.Contains(t, workflow.On, "workflow_dispatch")
	jobs := map[string]job{}
	for name, declared := range workflow.Jobs {
		if name != "review" {
			require.Greater(t, declared.TimeoutMinutes, 30, "longer than accord wait itself")
		}
		var j job
		for _, step := range declared.Steps {
			require.NotEqual(t, step.Run == "", step.Uses == "", "a step runs or uses: %s", step.Name)
			if step.Run == "" {
				continue
			}
			env := map[string]string{}
			for _, part := range []map[string]string{workflow.Env, declared.Env, step.Env} {
				for key, value := range part {
					env[key] = value
				}
			}
			require.Contains(t, []string{"", "always()"}, step.If, "a condition that this test does not know")
			j.scripts, j.env, j.always = append(j.scripts, step.Run), append(j.env, env), append(j.always, step.If != "")
		}
		jobs[name] = j
	}
	return jobs
}

func readGitLab(t *testing.T) map[string]job {
	type gitlabJob struct {
		Image        string              `json:"image,omitempty"`
		BeforeScript []string            `json:"before_script,omitempty"`
		Rules        []map[string]string `json:"rules,omitempty"`
		Timeout      string              `json:"timeout,omitempty"`
		Variables    map[string]string   `json:"variables,omitempty"`
		Script       []string            `json:"script,omitempty"`
		AllowFailure map[string][]int    `json:"allow_failure,omitempty"`
	}
	var pipeline map[string]gitlabJob
	read(t, "gitlab.yaml", &pipeline)
	require.Equal(t, []int{4}, pipeline["live"].AllowFailure["exit_codes"])
	jobs := map[string]job{}
	for name, declared := range pipeline {
		lines := strings.Join(append(pipeline["default"].BeforeScript, declared.Script...), "\n")
		env := map[string]string{"ACCORD_KUBECONFIG": "${file}"}
		maps.Copy(env, declared.Variables)
		jobs[name] = job{scripts: []string{lines}, env: []map[string]string{env}, always: []bool{false}}
	}
	return jobs
}

func read(t *testing.T, name string, into any) {
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(raw, into), name)
}

// run the steps of a job as its system does, until one fails: all that was printed, and its exit code.
func (w *world) run(t *testing.T, j job, workspace string, variables ...string) (string, int) {
	file := filepath.Join(t.TempDir(), "file-variable")
	require.NoError(t, os.WriteFile(file, []byte(w.kubeconfig), 0o600))
	values := strings.NewReplacer(
		"${{ secrets.HUB_KUBECONFIG }}", w.kubeconfig, "${{ github.workspace }}", workspace, "${file}", file,
		"${{ inputs.tag }}", strings.TrimPrefix(variables[0], "TAG="), "${{ github.token }}", forgeToken,
	)
	var out bytes.Buffer
	failed := 0
	for i, script := range j.scripts {
		if failed != 0 && !j.always[i] {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		step := exec.CommandContext(ctx, "bash", "-e", "-c", script)
		step.Dir, step.Stdout, step.Stderr = workspace, &out, &out
		step.Env = append(w.environment(), variables...)
		for key, value := range j.env[i] {
			value = values.Replace(value)
			require.NotContains(t, value, "${{", "an expression that this test does not know")
			step.Env = append(step.Env, key+"="+value)
		}
		err := step.Run()
		cancel()
		if err != nil && failed == 0 {
			failed = step.ProcessState.ExitCode()
		}
	}
	return out.String(), failed
}

// environment of a runner: our programs first, and a Git server behind the addresses of GitLab.
func (w *world) environment() []string {
	return []string{
		"PATH=" + filepath.Join(w.dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + w.dir,
		"CI_SERVER_HOST=gitlab.example.com", "CI_PROJECT_PATH=shop/config", "PUSH_TOKEN=glpat-secret",
		"GIT_CONFIG_GLOBAL=" + filepath.Join(w.dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
	}
}

func (w *world) program(name string) string { return filepath.Join(w.dir, "bin", name) }

func newWorld(t *testing.T) *world {
	plane := localtest.Start(t, "hub")
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, apiextensionsv1.AddToScheme, clientgoscheme.AddToScheme} {
		require.NoError(t, add(scheme))
	}
	c, err := client.New(plane.Config(), client.Options{Scheme: scheme})
	require.NoError(t, err)
	w := &world{Client: c, dir: t.TempDir()}
	w.install(t)
	w.programs(t)
	w.repository(t)
	printing := exec.CommandContext(t.Context(), "./kubeconfig.sh")
	printing.Env = append(w.environment(), "KUBECONFIG="+plane.Kubeconfig())
	var said strings.Builder
	printing.Stderr = &said
	printed, err := printing.Output()
	require.NoError(t, err, said.String())
	w.kubeconfig = string(printed)
	return w
}

// install the definitions and a federation.
func (w *world) install(t *testing.T) {
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		require.NoError(t, w.Create(t.Context(), crd))
	}
	require.NoError(t, w.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "prod"}}))
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "shop"}, Spec: v1alpha1.FederationSpec{
		Prune: true, Sources: []v1alpha1.Source{{Name: "main", URL: "https://git.example.com/shop.git"}},
	}}
	for _, list := range []client.ObjectList{&v1alpha1.FederationList{}, &v1alpha1.ReleaseList{}, &v1alpha1.DeliveryList{}} {
		require.NoError(t, wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			return w.List(ctx, list) == nil, nil
		}))
	}
	require.NoError(t, w.Create(t.Context(), fed))
}

// programs of a runner: accord and kubectl as they are, and a go that only looks whether there is something to install.
func (w *world) programs(t *testing.T) {
	bin := filepath.Join(w.dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	for _, name := range []string{"accord", "kubectl"} {
		path, err := exec.CommandContext(t.Context(), "go", "tool", "-n", name).Output()
		require.NoError(t, err)
		require.NoError(t, os.Symlink(strings.TrimSpace(string(path)), w.program(name)))
	}
	const fake = "#!/bin/sh\n[ \"$*\" = 'install github.com/accord-dev/accord/cmd/accord@latest' ]\n"
	require.NoError(t, os.WriteFile(w.program("go"), []byte(fake), 0o755))
}

// repository makes the Git server.
func (w *world) repository(t *testing.T) {
	w.origin = filepath.Join(w.dir, "origin.git")
	config := fmt.Sprintf("[init]\n\tdefaultBranch = main\n[url %q]\n\tinsteadOf = https://pipeline:glpat-secret@gitlab.example.com/shop/config.git\n", w.origin)
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "gitconfig"), []byte(config), 0o644))
	w.git(t, "init", "-q", "--bare", w.origin)
	w.git(t, "--git-dir", w.origin, "config", "receive.advertisePushOptions", "true")
	w.commit(t, "the first one")
}

// commit somebody's change to main.
func (w *world) commit(t *testing.T, subject string) string {
	dir := filepath.Join(t.TempDir(), "work")
	w.git(t, "clone", "-q", w.origin, dir)
	write(t, dir, map[string]string{
		"federation.yaml": federationManifest, "cluster.yaml": clusterManifest, "policy.yaml": policyManifest,
		"web.yaml": "# " + subject + "\n" + fmt.Sprintf(webManifest, "1.4.0"),
	})
	w.git(t, "-C", dir, "add", ".")
	w.git(t, "-C", dir, "-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "--allow-empty", "-m", subject)
	w.git(t, "-C", dir, "push", "-q", "origin", "HEAD:main")
	return w.head(t)
}

func (w *world) head(t *testing.T) string {
	return strings.TrimSpace(w.git(t, "--git-dir", w.origin, "rev-parse", "main"))
}

func (w *world) git(t *testing.T, args ...string) string {
	git := exec.CommandContext(t.Context(), "git", args...)
	git.Env = w.environment()
	out, err := git.CombinedOutput()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// release writes down what accord says of a commit: a row of the truth table, which is for generation 2.
func (w *world) release(t *testing.T, sha, about string) {
	t.Helper()
	rel := &v1alpha1.Release{}
	rel.Namespace, rel.Name = "prod", "shop-"+sha[:12]
	if err := w.Get(t.Context(), client.ObjectKeyFromObject(rel), rel); client.IgnoreNotFound(err) != nil {
		require.NoError(t, err)
	} else if err != nil {
		rel.Labels = map[string]string{v1alpha1.FederationLabel: "shop", v1alpha1.RevisionLabelPrefix + "main": sha}
		rel.Spec = v1alpha1.ReleaseSpec{
			Federation: "shop", Revision: "main@sha1:" + sha, Sources: []v1alpha1.SourceRevision{{Name: "main", Revision: "main@sha1:" + sha}},
		}
		require.NoError(t, w.Create(t.Context(), rel))
		rel.Spec.PlanDigest = "sha256:1f0c"
		require.NoError(t, w.Update(t.Context(), rel))
	}
	rel.Status = rowAbout(t, about)
	require.NoError(t, w.Status().Update(t.Context(), rel))
}

func rowAbout(t *testing.T, about string) v1alpha1.ReleaseStatus {
	t.Helper()
	file, err := os.Open("../../status/testdata/truth.jsonl")
	require.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var row struct {
			Kind, About string
			Status      v1alpha1.ReleaseStatus
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		if row.Kind == "Release" && row.About == about {
			return row.Status
		}
	}
	require.FailNow(t, "no such row", about)
	return v1alpha1.ReleaseStatus{}
}
