package memberserver

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/clusters/local/localtest"
)

var update = flag.Bool("update", false, "write what the real API server answers into discovery/")

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// startOne runs one server.
func startOne(t *testing.T) *rest.Config {
	t.Helper()
	h, err := NewHost()
	require.NoError(t, err)
	s, err := h.Start("member")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.Config()
}

// TestProtocol does the same with ours and with a real API server: what holds for one holds for the other.
func TestProtocol(t *testing.T) {
	servers := map[string]*rest.Config{"ours": startOne(t), "real": localtest.Start(t, "real").Config()}
	for name, test := range map[string]func(t *testing.T, c *rest.Config, space string){
		"apply creates and merges":                       applyCreatesAndMerges,
		"apply is refused":                               applyIsRefused,
		"a dry run keeps nothing":                        aDryRunKeepsNothing,
		"typed client":                                   typedClient,
		"controller runtime client":                      controllerRuntimeClient,
		"metadata client":                                metadataClient,
		"errors are statuses":                            errorsAreStatuses,
		"delete with a precondition":                     deleteWithAPrecondition,
		"delete waits for finalizers":                    deleteWaitsForFinalizers,
		"a list has pages of one moment":                 aListHasPagesOfOneMoment,
		"a list from memory has no pages":                aListFromMemoryHasNoPages,
		"a watch goes on from a list":                    aWatchGoesOnFromAList,
		"a watch from nowhere begins with what is there": aWatchFromNowhereBeginsWithWhatIsThere,
		"informer": informer,
	} {
		for server, config := range servers {
			t.Run(name+"/"+server, func(t *testing.T) {
				space := strings.ReplaceAll(name, " ", "-")
				_, err := typedFor(t, config).CoreV1().Namespaces().Apply(t.Context(), applycore.Namespace(space), metav1.ApplyOptions{FieldManager: "test"})
				require.NoError(t, err)
				test(t, config, space)
			})
		}
	}
}

func dynamicFor(t *testing.T, c *rest.Config) *dynamic.DynamicClient {
	t.Helper()
	d, err := dynamic.NewForConfig(c)
	require.NoError(t, err)
	return d
}

func typedFor(t *testing.T, c *rest.Config) *kubernetes.Clientset {
	t.Helper()
	c = rest.CopyConfig(c)
	c.ContentType, c.AcceptContentTypes = "application/json", "application/json" // else it would speak protobuf
	k, err := kubernetes.NewForConfig(c)
	require.NoError(t, err)
	return k
}

// object reads a manifest.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	return u
}
