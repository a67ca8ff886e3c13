package apply

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// setting is an edit that sets one field.
func setting(v any, path ...string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(u.Object, v, path...); err != nil {
			panic(err)
		}
	}
}

// unsetting is an edit that removes one.
func unsetting(path ...string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) { unstructured.RemoveNestedField(u.Object, path...) }
}

// definition of a kind of which nothing is known but its spec.
func definition(group, kind, plural string) string {
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[3]s.%[1]s}
spec:
  group: %[1]s
  names: {kind: %[2]s, plural: %[3]s}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {
          suspend: {type: boolean}, path: {type: string}, size: {type: integer}, tags: {type: object, additionalProperties: {type: string}}}}}
---
`, group, kind, plural)
}

// suspendable is a member that serves a kind of Flux, whose spec.suspend is yielded.
func suspendable(t *testing.T, federation string) (w *world, kustomization func(spec string) string) {
	w = newWorld(t, federation)
	crd := definition("kustomize.toolkit.fluxcd.io", "Kustomization", "kustomizations")
	if w.get("CustomResourceDefinition", "", "kustomizations.kustomize.toolkit.fluxcd.io") == nil {
		flux := newWorld(t, "flux")
		flux.delivered(flux.target(crd))
	}
	w.create(foreignNamespace)
	require.NoError(t, w.kubectl.Kinds.Refresh())
	return w, func(spec string) string {
		return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: NS}\nspec: {" + spec + "}\n"
	}
}

func TestWhatAnOperatorOfTheMemberSuspended(t *testing.T) {
	for name, c := range map[string]struct {
		edits  []func(*unstructured.Unstructured)
		spec   string // of the next revision; the first is "suspend: false, path: a"
		want   any
		left   bool
		repair bool // of what was edited, before the next revision
	}{
		"stays suspended": {
			edits: []func(*unstructured.Unstructured){setting(true, "spec", "suspend")},
			spec:  "suspend: false, path: b", want: true, left: true,
		},
		"stays suspended when Git does not say anything any more": {
			edits: []func(*unstructured.Unstructured){setting(true, "spec", "suspend")},
			spec:  "path: b", want: true,
		},
		"is Git's again when Git agrees": {
			edits: []func(*unstructured.Unstructured){setting(true, "spec", "suspend")},
			spec:  "suspend: true, path: b", want: true,
		},
		"and resumed is the operator's": {
			edits: []func(*unstructured.Unstructured){setting(true, "spec", "suspend"), setting(false, "spec", "suspend")},
			spec:  "suspend: true, path: b", want: false, left: true,
		},
		"and removed is Git's": {
			edits: []func(*unstructured.Unstructured){setting(true, "spec", "suspend"), unsetting("spec", "suspend")},
			spec:  "suspend: false, path: b", want: false, repair: true,
		},
		"not at all can be suspended in Git": {spec: "suspend: true, path: b", want: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, kustomization := suspendable(t, worldOf("suspended", name))
			first, next := w.target(kustomization("suspend: false, path: a")), w.target(kustomization(c.spec))
			w.delivered(first)
			for _, edit := range c.edits {
				w.edit("Kustomization", "apps", edit)
			}
			outcome := w.delivered(first)
			require.Equal(t, c.repair, len(outcome.Drift) == 1)
			require.Equal(t, c.repair, outcome.Requests > 0)

			w.delivered(next)
			require.Equal(t, c.want, w.field("Kustomization", "apps", "spec", "suspend"))
			require.Equal(t, "b", w.field("Kustomization", "apps", "spec", "path"), "the rest is delivered")
			require.Equal(t, c.left, len(seenIn(&w.live, w.id("Kustomization", "apps")).Yielded) == 1)
			require.Zero(t, w.delivered(next).Requests)
		})
	}
}

func TestGitSuspendsAndResumes(t *testing.T) {
	w, kustomization := suspendable(t, "resumed")
	for i, suspend := range []bool{true, false, true} {
		outcome := w.delivered(w.target(kustomization(fmt.Sprintf("suspend: %v", suspend))))
		require.Equal(t, suspend, w.field("Kustomization", "apps", "spec", "suspend"))
		if i > 0 {
			require.Equal(t, 2, outcome.Requests, "one to read it, one to apply it")
		}
	}
}

func TestTheOnlyFieldIsLeft(t *testing.T) {
	w, kustomization := suspendable(t, "only")
	w.delivered(w.target(kustomization("suspend: false")))
	w.edit("Kustomization", "apps", setting(true, "spec", "suspend"))
	for _, label := range []string{"one", "two", "three"} {
		target := w.target(strings.Replace(kustomization("suspend: false"), "namespace: NS", "namespace: NS, labels: {version: "+label+"}", 1))
		w.delivered(target)
		require.Equal(t, true, w.field("Kustomization", "apps", "spec", "suspend"))
		require.Zero(t, w.delivered(target).Requests)
	}
	w.edit("Kustomization", "apps", unsetting("spec", "suspend"))
	target := w.target(strings.Replace(kustomization("suspend: false"), "namespace: NS", "namespace: NS, labels: {version: three}", 1))
	require.Len(t, w.delivered(target).Drift, 1, "nobody has anything there any more")
	require.Equal(t, false, w.field("Kustomization", "apps", "spec", "suspend"))
	require.Zero(t, w.delivered(target).Requests)
}

func TestOtherFieldsOfAnObjectThatYieldsAreRepaired(t *testing.T) {
	w, kustomization := suspendable(t, "partly")
	target := w.target(kustomization("suspend: false, path: a"))
	w.delivered(target)
	w.edit("Kustomization", "apps", func(u *unstructured.Unstructured) {
		setting(true, "spec", "suspend")(u)
		setting("evil", "spec", "path")(u)
	})
	outcome := w.delivered(target)
	require.Equal(t, []live.Drift{{ID: w.id("Kustomization", "apps"), Manager: "kubectl-edit", What: live.Changed, Fields: "spec"}}, outcome.Drift)
	require.Equal(t, "a", w.field("Kustomization", "apps", "spec", "path"))
	require.Equal(t, true, w.field("Kustomization", "apps", "spec", "suspend"))
	require.Zero(t, w.delivered(target).Requests)
}

func TestWhatIsTakenOverYieldsToo(t *testing.T) {
	w, kustomization := suspendable(t, "taken")
	w.create(kustomization("suspend: true, path: theirs"))
	target := overwriting(w.target(kustomization("suspend: false, path: ours")))
	w.delivered(target)
	require.Equal(t, true, w.field("Kustomization", "apps", "spec", "suspend"))
	require.Equal(t, "ours", w.field("Kustomization", "apps", "spec", "path"))
	require.Zero(t, w.delivered(target).Requests)
}

// The member does something between the look and the apply.
func TestWhatChangesBetweenTheLookAndTheApply(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(w *world)
		suspended bool
		requests  int
	}{
		"is looked at again":  {func(w *world) { w.edit("Kustomization", "apps", setting(true, "spec", "suspend")) }, true, 4},
		"is made anew, whole": {func(w *world) { w.remove("Kustomization", "apps") }, false, 4},
	} {
		t.Run(name, func(t *testing.T) {
			w, kustomization := suspendable(t, worldOf("meanwhile", name))
			w.delivered(w.target(kustomization("suspend: false, path: a")))
			w.edit("Kustomization", "apps", setting(true, "spec", "suspend"))
			if c.suspended {
				w.edit("Kustomization", "apps", setting(false, "spec", "suspend"))
			}
			once := true
			w.meanwhile = func(r *http.Request) {
				if r.Method == http.MethodPatch && once {
					once = false
					c.meanwhile(w)
				}
			}
			target := w.target(kustomization("suspend: false, path: b"))
			outcome := w.delivered(target)
			require.False(t, once)
			require.Equal(t, c.requests, outcome.Requests)
			require.Equal(t, c.suspended, w.field("Kustomization", "apps", "spec", "suspend"))
			require.Equal(t, "b", w.field("Kustomization", "apps", "spec", "path"))
			require.Zero(t, w.delivered(target).Requests)
		})
	}
	t.Run("all the time is a problem of that object, for now", func(t *testing.T) {
		w, kustomization := suspendable(t, "restless")
		w.delivered(w.target(kustomization("suspend: false, path: a")))
		n := 0
		w.meanwhile = func(r *http.Request) {
			if r.Method == http.MethodPatch {
				n++
				w.edit("Kustomization", "apps", setting(fmt.Sprint(n), "metadata", "annotations", "n"))
			}
		}
		outcome := w.deliver(w.target(kustomization("suspend: false, path: b")))
		var p *live.Problem
		require.ErrorAs(t, outcome.Errors[w.id("Kustomization", "apps")], &p)
		require.True(t, p.Retry)
		require.Equal(t, retainTries, n)
		require.Equal(t, "a", w.field("Kustomization", "apps", "spec", "path"))
	})
}

// What an API server or a controller of the member gives out once is not lost and not fought over when the template changes.
func TestWhatTheMemberGaveOut(t *testing.T) {
	const service = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: NS}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80}]}
`
	const claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: NS, labels: {v: "1"}}
spec: {accessModes: [ReadWriteOnce], storageClassName: slow, resources: {requests: {storage: 1Gi}}}
`
	const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: NS}
spec: {parallelism: 1, completions: 4, template: {spec: {restartPolicy: Never, containers: [{name: a, image: "busybox:1"}]}}}
`
	const account = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: bot, namespace: NS, labels: {v: "1"}}
imagePullSecrets: [{name: registry}]
`
	bind := func(u *unstructured.Unstructured) {
		setting("pv-1", "spec", "volumeName")(u)
		setting("yes", "metadata", "annotations", "pv.kubernetes.io/bind-completed")(u)
	}
	for name, c := range map[string]struct {
		kind, name  string
		created     string                             // before us; empty: we do
		first, next string                             // what Git has
		edit        func(u *unstructured.Unstructured) // of the member
		kept        []string
		changed     []string
		want        any
		left        int
	}{
		"the address of a Service": {
			kind: "Service", name: "web", first: service, next: strings.Replace(service, "app: web", "app: other", 1),
			kept: []string{"spec", "clusterIP"}, changed: []string{"spec", "selector", "app"}, want: "other",
		},
		"the address of a Service that Git wants headless": {
			kind: "Service", name: "web", created: service, next: strings.Replace(strings.Replace(service, "type: NodePort", "clusterIP: None", 1), "app: web", "app: other", 1),
			kept: []string{"spec", "clusterIP"}, changed: []string{"spec", "selector", "app"}, want: "other", left: 1,
		},
		"the volume of a claim": {
			kind: "PersistentVolumeClaim", name: "data", first: claim, edit: bind, next: strings.Replace(claim, `v: "1"`, `v: "2"`, 1),
			kept: []string{"spec", "volumeName"}, changed: []string{"metadata", "labels", "v"}, want: "2",
		},
		"the volume of a claim that names another in Git": {
			kind: "PersistentVolumeClaim", name: "data", created: strings.Replace(claim, "spec: {", "spec: {volumeName: theirs, ", 1),
			next: strings.Replace(strings.Replace(claim, "spec: {", "spec: {volumeName: ours, ", 1), `v: "1"`, `v: "2"`, 1),
			kept: []string{"spec", "volumeName"}, changed: []string{"metadata", "labels", "v"}, want: "2", left: 1,
		},
		"the selector of a Job": {
			kind: "Job", name: "once", first: job, next: strings.Replace(job, "parallelism: 1", "parallelism: 2", 1),
			kept: []string{"spec", "selector"}, changed: []string{"spec", "parallelism"}, want: int64(2),
		},
		"the selector of a Job that has another in Git": {
			kind: "Job", name: "once", created: job,
			next: strings.Replace(job, "parallelism: 1", `parallelism: 2, selector: {matchLabels: {batch.kubernetes.io/controller-uid: "4711"}}`, 1),
			kept: []string{"spec", "selector"}, changed: []string{"spec", "parallelism"}, want: int64(2), left: 1,
		},
		"the secrets of a ServiceAccount": {
			kind: "ServiceAccount", name: "bot", first: account, next: strings.Replace(account, `v: "1"`, `v: "2"`, 1),
			edit: setting([]any{map[string]any{"name": "bot-token-1"}}, "secrets"),
			kept: []string{"secrets"}, changed: []string{"metadata", "labels", "v"}, want: "2",
		},
		"the pull secrets of a ServiceAccount": {
			kind: "ServiceAccount", name: "bot", first: account, next: strings.Replace(account, `v: "1"`, `v: "2"`, 1),
			edit: setting([]any{map[string]any{"name": "registry"}, map[string]any{"name": "bot-dockercfg"}}, "imagePullSecrets"),
			kept: []string{"imagePullSecrets"}, changed: []string{"metadata", "labels", "v"}, want: "2", left: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, worldOf("given", name))
			w.create(foreignNamespace)
			if c.created != "" {
				w.create(c.created)
			} else {
				w.delivered(w.target(c.first))
			}
			if c.edit != nil {
				w.edit(c.kind, c.name, c.edit)
			}
			if c.first != "" {
				require.Zero(t, w.delivered(w.target(c.first)).Requests, "it is no drift")
			}
			before := w.field(c.kind, c.name, c.kept...)
			require.NotEmpty(t, before)
			next := overwriting(w.target(c.next))
			w.delivered(next)
			require.Equal(t, before, w.field(c.kind, c.name, c.kept...))
			require.Equal(t, c.want, w.field(c.kind, c.name, c.changed...), "the rest is delivered")
			require.Len(t, seenIn(&w.live, w.id(c.kind, c.name)).Yielded, c.left)
			require.Zero(t, w.delivered(next).Requests)
		})
	}
}

func TestPortsOfAServiceStay(t *testing.T) {
	w := newWorld(t, "nodeports")
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: NS}\nspec: {type: NodePort, selector: {app: web}, ports: [{name: http, port: 80}%s]}\n"
	port := func() any { return w.field("Service", "web", "spec", "ports").([]any)[0].(map[string]any)["nodePort"] }
	w.delivered(w.target(namespaceYAML + fmt.Sprintf(service, "")))
	before := port()
	require.NotZero(t, before)
	more := w.target(namespaceYAML + fmt.Sprintf(service, ", {name: https, port: 443}"))
	w.delivered(more)
	require.Equal(t, before, port())
	require.Len(t, w.field("Service", "web", "spec", "ports"), 2)
	require.Zero(t, w.delivered(more).Requests)
}

// Where a definition makes the whole spec one value, a field of it cannot belong to somebody else: Git wins, once. A
// script may decide otherwise.
func TestFieldOfWhatIsOneValue(t *testing.T) {
	inventor := newWorld(t, "workflows")
	inventor.delivered(inventor.target(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: workflows.argoproj.io}
spec:
  group: argoproj.io
  names: {kind: Workflow, plural: workflows}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {
      spec: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-map-type: atomic}}}}
`))
	for name, c := range map[string]struct {
		script string
		want   any
	}{
		"Git wins":         {"", false},
		"a script decides": {retention("argoproj.io/v1", "Workflow", "desired.spec.suspend = observed.spec.suspend"), true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, worldOf("one-value", name))
			w.create(foreignNamespace)
			target := func(path string) propagate.ClusterPlan {
				object := "apiVersion: argoproj.io/v1\nkind: Workflow\nmetadata: {name: build, namespace: NS}\nspec: {suspend: false, path: " + path + "}\n"
				return w.planned("[{apiVersion: argoproj.io/v1, kind: Workflow}]", object, c.script)
			}
			w.delivered(target("a"))
			w.edit("Workflow", "build", setting(true, "spec", "suspend"))
			w.delivered(target("a"))
			require.Equal(t, c.want, w.field("Workflow", "build", "spec", "suspend"))
			require.Zero(t, w.delivered(target("a")).Requests)
			w.delivered(target("b"))
			require.Equal(t, c.want, w.field("Workflow", "build", "spec", "suspend"))
			require.Equal(t, "b", w.field("Workflow", "build", "spec", "path"))
			require.Zero(t, w.delivered(target("b")).Requests)
		})
	}
}

// What has nothing to yield costs what it cost before.
func TestOnlyWhatYieldsIsRead(t *testing.T) {
	w := newWorld(t, "unread")
	account := "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: bot, namespace: NS, labels: {v: \"1\"}}\n---\n"
	w.delivered(w.target(namespaceYAML + account + configMap("one", "1")))
	w.meanwhile = func(r *http.Request) { require.Equal(t, http.MethodPatch, r.Method) }
	changed := w.delivered(w.target(namespaceYAML + strings.Replace(account, `"1"`, `"2"`, 1) + configMap("one", "2")))
	require.Equal(t, 2, changed.Requests)
	require.ElementsMatch(t, []manifest.ID{w.id("ServiceAccount", "bot"), w.id("ConfigMap", "one")}, changed.Applied)
}
