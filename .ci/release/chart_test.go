package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"
)

const root = "../.."

// objectsOf returns the objects of YAML documents by kind, namespace and name.
func objectsOf(t *testing.T, texts ...string) map[string]map[string]any {
	t.Helper()
	objects := map[string]map[string]any{}
	for _, text := range texts {
		for document := range strings.SplitSeq("\n"+text, "\n---") {
			var o map[string]any
			must(t, yaml.Unmarshal([]byte(document), &o))
			if o == nil {
				continue
			}
			meta := o["metadata"].(map[string]any)
			namespace, _ := meta["namespace"].(string)
			key := o["kind"].(string) + " " + namespace + "/" + meta["name"].(string)
			if objects[key] != nil {
				t.Errorf("%s is there twice", key)
			}
			objects[key] = o
		}
	}
	return objects
}

// accord runs the program of this tree, and returns what it prints.
func accord(t *testing.T, args ...string) []byte {
	t.Helper()
	printed, errs, err := execute(t, args)
	if err != nil {
		t.Fatalf("accord %v: %v: %s", args, err, errs)
	}
	return printed
}

// fails runs the program of this tree, which has to end with this error.
func fails(t *testing.T, says string, args ...string) {
	t.Helper()
	if _, errs, err := execute(t, args); err == nil || !strings.Contains(errs, says) {
		t.Errorf("accord %v: %v: %s, expected %q", args, err, errs, says)
	}
}

func execute(t *testing.T, args []string) (printed []byte, errs string, err error) {
	t.Helper()
	find := exec.Command("go", "tool", "-n", "accord")
	find.Dir = root
	path, err := find.Output()
	must(t, err)
	var stderr bytes.Buffer
	cmd := exec.Command(strings.TrimSpace(string(path)), args...)
	cmd.Stderr = &stderr
	printed, err = cmd.Output()
	return printed, stderr.String(), err
}

// packaged returns a chart of a release.
func packaged(t *testing.T, name string) *chart.Chart {
	t.Helper()
	r := &release{version: "v0.1.0", source: root, out: t.TempDir(), registry: "ghcr.io/accord-dev"}
	digest := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("a", 64)}
	must(t, r.charts(definitions(accord(t, "install")), map[string]v1.Hash{"accord": digest, "accord-agent": digest}))
	c, err := loader.LoadFile(filepath.Join(r.out, name+"-0.1.0.tgz"))
	must(t, err)
	must(t, c.Validate())
	if c.Metadata.Version != "0.1.0" || c.AppVersion() != "v0.1.0" || !strings.HasPrefix(c.Values["image"].(string), "ghcr.io/accord-dev/"+name+":v0.1.0@") {
		t.Errorf("chart %s of %s has image %s", c.Metadata.Version, c.AppVersion(), c.Values["image"])
	}
	return c
}

// helm renders a chart as "helm template" does.
func helm(c *chart.Chart, values string) (map[string]string, error) {
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		return nil, err
	}
	all, err := chartutil.ToRenderValues(c, given, chartutil.ReleaseOptions{Name: "accord", Namespace: "accord-system", IsInstall: true}, nil)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}

// TestTheChartIsWhatInstallPrints: Helm and "accord install" make the same objects of the same values.
func TestTheChartIsWhatInstallPrints(t *testing.T) {
	c := packaged(t, "accord")
	for name, values := range map[string]string{
		"defaults": "namespace: {create: true}",
		"all": `namespace: {create: true}
replicas: 3
secretsFrom: [shop, accord-system, shop]
secretsNamespace: credentials
allowSourceNetworks: [10.0.0.0/8]
webhookProxies: [10.1.0.0/16, "fd00::/8"]
registerClusters: true
resources: {limits: {memory: 2Gi}}
cacheSizeLimit: 8Gi
serviceMonitor: {enabled: true, labels: {release: prometheus}}
ingress: {enabled: true, host: hook.example.com, tlsSecret: hook-tls, className: nginx, annotations: {"a/b": "c: d"}}
`,
		"a volume":         "cacheVolume: 8Gi\nnamespace: {create: true}",
		"nothing optional": "networkPolicy: {enabled: false}\npodDisruptionBudget: {enabled: false}\nnamespace: {create: false}",
	} {
		t.Run(name, func(t *testing.T) {
			file, values := filepath.Join(t.TempDir(), "values.yaml"), "image: registry.example/accord:v1\n"+values
			must(t, os.WriteFile(file, []byte(values), 0o644))
			printed := accord(t, "install", "--values", file)
			rendered, err := helm(c, values)
			must(t, err)
			texts := slices.Collect(maps.Values(rendered))
			for _, crd := range c.CRDObjects() {
				texts = append(texts, string(crd.File.Data))
			}
			requireEqualObjects(t, objectsOf(t, string(printed)), objectsOf(t, texts...))
		})
	}
}

// requireEqualObjects compares the objects of accord with those of Helm.
func requireEqualObjects(t *testing.T, ours, theirs map[string]map[string]any) {
	t.Helper()
	for key := range ours {
		if theirs[key] == nil {
			t.Errorf("Helm does not make %s", key)
		}
	}
	for key, object := range theirs {
		if !reflect.DeepEqual(object, ours[key]) {
			t.Errorf("%s\nof Helm:   %v\nof accord: %v", key, object, ours[key])
		}
	}
}

// TestTheChartOfTheAgentIsWhatRegisterPrints: Helm and "accord register" make the same objects.
func TestTheChartOfTheAgentIsWhatRegisterPrints(t *testing.T) {
	c := packaged(t, "accord-agent")
	pin, token := "sha256:"+strings.Repeat("0", 64), "abcdef.0123456789abcdef"
	for values, flags := range map[string][]string{
		"": {"--dry-run"},
		"rights: {secrets: true, crds: true}\ntunnel: {users: [alice], groups: [dev, 'a:b']}\ncacheDir: ''": {
			"--dry-run", "--secrets", "--crds", "--impersonate-user", "alice", "--impersonate-group", "dev,a:b", "--cache-dir", "",
		},
		"rights: {admin: true}\ntunnel: {enabled: false}": {"--dry-run", "--admin", "--no-tunnel"},
		"hub: {url: 'https://hub.example:6443', caCertHashes: ['" + pin + "'], token: " + token + "}\nregion: eu\nprovider: metal\nzones: [a, b]": {
			"--manifests", "--discovery-token-ca-cert-hash", pin, "--token", token, "--cluster-region", "eu", "--cluster-provider", "metal", "--cluster-zones", "a,b",
		},
		"hub: {url: 'https://hub.example:6443', skipCAVerification: true}": {"--manifests", "--discovery-token-unsafe-skip-ca-verification"},
	} {
		rendered, err := helm(c, "cluster: edge-7\nimage: r/agent:1\nnamespace: {create: true}\n"+values)
		must(t, err)
		printed := accord(t, append([]string{"register", "https://hub.example:6443", "--cluster-name", "edge-7", "--image", "r/agent:1"}, flags...)...)
		requireEqualObjects(t, objectsOf(t, string(printed)), objectsOf(t, slices.Collect(maps.Values(rendered))...))
	}
}

// The schema of the chart of the agent refuses values that would make something else, or no agent.
func TestValuesOfTheAgentThatAreRefused(t *testing.T) {
	c := packaged(t, "accord-agent")
	for values, says := range map[string]string{
		"cluster: ''":                                "cluster",
		"cluster: \"a\\n- --kubeconfig=/x\"":         "cluster",
		"hub: {url: 'http://hub.example'}":           "hub/url",
		"hub: {url: 'https://hub.example'}":          "hub",
		"hub: {token: abcdef.0123456789abcdef}":      "hub",
		"tunnel: {users: ['*']}":                     "tunnel/users",
		"tunnel: {groups: ['system:masters']}":       "tunnel/groups",
		"tunnel: {enabled: false, users: [alice]}":   "tunnel",
		"rights: {admin: true, secrets: true}":       "rights",
		"region: \"eu\\n        - --kubeconfig=/x\"": "region",
		"cacheDir: relative":                         "cacheDir",
		"replicas: 2":                                "replicas",
	} {
		all := values
		if !strings.HasPrefix(values, "cluster") {
			all = "cluster: edge-7\n" + values
		}
		if _, err := helm(c, all); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", values, err)
		}
	}
}

// The schema refuses values that would make something else.
func TestValuesThatAreRefused(t *testing.T) {
	c := packaged(t, "accord")
	for values, says := range map[string]string{
		"replica: 3":                               "replica",
		"replicas: 0":                              "replicas",
		"secretsFrom: ['a: b']":                    "secretsFrom",
		"allowSourceNetworks: [10.0.0.1]":          "allowSourceNetworks",
		"image: \"a\\nb\"":                         "image",
		"ingress: {enabled: true}":                 "host",
		"ingress: {host: \"x]\\n  - host: evil\"}": "host",
	} {
		if _, err := helm(c, values); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", values, err)
		}
	}
	if _, err := helm(c, "replicas: 3"); err != nil {
		t.Error(err)
	}
}
