package hub

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// MemberConfigs returns the contexts of a kubeconfig whose names are valid names of Clusters. It reports the others on stderr.
func MemberConfigs(kubeconfig string, stderr io.Writer) (map[string]*rest.Config, error) {
	file, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the members: %w", err)
	}
	configs := map[string]*rest.Config{}
	for _, name := range slices.Sorted(maps.Keys(file.Contexts)) {
		if len(name) > 48 || len(validation.IsDNS1123Label(name)) > 0 {
			fmt.Fprintf(stderr, "context %q is left out: it cannot be the name of a Cluster\n", name)
			continue
		}
		cfg, err := ClientConfig(Loader(kubeconfig, name))
		if err != nil {
			return nil, fmt.Errorf("context %s: %w", name, err)
		}
		configs[name] = cfg
	}
	if len(configs) == 0 {
		return nil, fmt.Errorf("%s has no context that can be a member", kubeconfig)
	}
	return configs, nil
}
