package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/clusters/search"
)

// maxBody bounds the body of a request that changes an object, as API servers do.
const maxBody = 3 << 20

// restore gives the body of a request back what the cached object has in addition: the resourceVersion becomes the one on the cluster, and
// the annotation of the cluster goes. Karmada does so for PUT only.
func (s *Server) restore(r *http.Request, a *asked, o *search.Object) error {
	if a.Subresource != "" && a.Verb == "create" || r.Body == nil || r.Body == http.NoBody {
		return nil // such as the streams of exec, and evictions
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var change func(body []byte, cluster string) ([]byte, error)
	switch {
	case a.Verb == "update", a.Verb == "patch" && (media == string(types.MergePatchType) || media == string(types.StrategicMergePatchType)):
		change = restoreObject
	case a.Verb == "patch" && media == string(types.ApplyYAMLPatchType):
		change = restoreYAML
	case a.Verb == "patch" && media == string(types.JSONPatchType):
		change = restorePatch
	case a.Verb == "delete":
		change = restoreOptions
	default:
		return nil // the cluster refuses the form
	}
	binary := media == runtime.ContentTypeProtobuf
	if binary {
		change = restoreBinary
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return apierrors.NewBadRequest("the body cannot be read: " + err.Error())
	}
	if len(body) > maxBody {
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("at most %d bytes", maxBody))
	}
	if len(bytes.TrimSpace(body)) > 0 {
		restored, err := change(body, o.Cluster)
		if err != nil {
			return apierrors.NewBadRequest("the body is not of the form that its Content-Type names: " + err.Error())
		}
		body = restored
	}
	if binary {
		r.Header.Set("Content-Type", runtime.ContentTypeJSON)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

// fieldsOf decodes the fields of an object; its values stay as they are.
func fieldsOf(text []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(text, &fields)
	return fields, err
}

func restoreObject(body []byte, cluster string) ([]byte, error) {
	object, err := fieldsOf(body)
	if err != nil || object["metadata"] == nil {
		return body, err
	}
	metadata, err := fieldsOf(object["metadata"])
	if err != nil {
		return nil, err
	}
	if err := restoreVersion(metadata, cluster); err != nil {
		return nil, err
	}
	if metadata["annotations"] != nil {
		annotations, err := fieldsOf(metadata["annotations"])
		if err != nil {
			return nil, err
		}
		delete(annotations, search.ClusterAnnotation)
		if metadata["annotations"], err = json.Marshal(annotations); err != nil {
			return nil, err
		}
	}
	if object["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

// restoreVersion restores the field resourceVersion.
func restoreVersion(fields map[string]json.RawMessage, cluster string) error {
	var version *string
	if fields["resourceVersion"] == nil {
		return nil
	}
	if err := json.Unmarshal(fields["resourceVersion"], &version); err != nil || version == nil {
		return err
	}
	var err error
	fields["resourceVersion"], err = json.Marshal(search.On(cluster, *version))
	return err
}

// restoreBinary restores what typed clients send as protobuf, and returns JSON.
func restoreBinary(body []byte, cluster string) ([]byte, error) {
	object, kind, err := legacyscheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(*kind)
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if _, ok := object.(*metav1.DeleteOptions); ok {
		return restoreOptions(text, cluster)
	}
	return restoreObject(text, cluster)
}

func restoreYAML(body []byte, cluster string) ([]byte, error) {
	text, err := yaml.YAMLToJSON(body)
	if err != nil {
		return nil, err
	}
	return restoreObject(text, cluster)
}

func restoreOptions(body []byte, cluster string) ([]byte, error) {
	options, err := fieldsOf(body)
	if err != nil || options["preconditions"] == nil {
		return body, err
	}
	preconditions, err := fieldsOf(options["preconditions"])
	if err != nil {
		return nil, err
	}
	if err := restoreVersion(preconditions, cluster); err != nil {
		return nil, err
	}
	if options["preconditions"], err = json.Marshal(preconditions); err != nil {
		return nil, err
	}
	return json.Marshal(options)
}

// restorePatch restores the operations on the resourceVersion, and drops those on the annotation of the cluster.
func restorePatch(body []byte, cluster string) ([]byte, error) {
	var operations, kept []map[string]json.RawMessage
	if err := json.Unmarshal(body, &operations); err != nil {
		return nil, err
	}
	for _, operation := range operations {
		var path string
		if err := json.Unmarshal(operation["path"], &path); err != nil {
			return nil, err
		}
		var version string
		if path == "/metadata/annotations/resource.karmada.io~1cached-from-cluster" {
			continue
		}
		if path == "/metadata/resourceVersion" && json.Unmarshal(operation["value"], &version) == nil {
			operation["value"], _ = json.Marshal(search.On(cluster, version)) // a text
		}
		kept = append(kept, operation)
	}
	if kept == nil {
		kept = []map[string]json.RawMessage{}
	}
	return json.Marshal(kept)
}
