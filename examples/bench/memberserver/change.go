package memberserver

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// maxBody is the limit of a body in bytes, the same as that of API servers.
const maxBody = 3 << 20

// body reads one of the forms.
func (c *call) body(forms ...string) ([]byte, error) {
	contentType := c.request.Header.Get("Content-Type")
	if form, _, _ := mime.ParseMediaType(contentType); !slices.Contains(forms, form) {
		return nil, unsupported(contentType, forms...)
	}
	text, err := io.ReadAll(http.MaxBytesReader(nil, c.request.Body, maxBody))
	if err != nil {
		return nil, apierrors.NewRequestEntityTooLargeError(err.Error())
	}
	return text, nil
}

// object reads an object, and checks that it is the one that the address names.
func (c *call) object(text []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	err := utiljson.Unmarshal(text, &u.Object)
	if err != nil { // most is JSON, which is much faster to read as such
		if text, err = yaml.YAMLToJSON(text); err == nil {
			err = utiljson.Unmarshal(text, &u.Object)
		}
	}
	if err != nil || u.Object == nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the object cannot be read: %v", err))
	}
	if got := u.GroupVersionKind(); got != c.resource.kind {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s", got.Kind, got.GroupVersion(), c.resource.kind.Kind))
	}
	if u.GetName() == "" && c.name.Name != "" {
		u.SetName(c.name.Name)
	}
	if c.name.Name != "" && u.GetName() != c.name.Name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", u.GetName(), c.name.Name))
	}
	if space := u.GetNamespace(); space != "" && space != c.name.Namespace {
		return nil, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if err := named(c.resource, u.GetName()); err != nil {
		return nil, err
	}
	return u, nil
}

// patch is server-side apply; there is no other here.
func (c *call) patch(w http.ResponseWriter) error {
	text, err := c.body(string(types.ApplyYAMLPatchType))
	if err != nil {
		return err
	}
	var o metav1.PatchOptions
	query := c.request.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_PatchOptions(&query, &o, nil); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if o.FieldManager == "" {
		return apierrors.NewInvalid(metav1.SchemeGroupVersion.WithKind("PatchOptions").GroupKind(), "", field.ErrorList{
			field.Required(field.NewPath("fieldManager"), "is required for apply patch"),
		})
	}
	sent, err := c.object(text)
	if err != nil {
		return err
	}
	now, created, err := c.server.store.apply(write{
		resource: c.resource, name: c.name, sent: sent, text: text,
		manager: o.FieldManager, force: o.Force != nil && *o.Force, dryRun: len(o.DryRun) > 0,
	})
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	send(w, code, now.sent(c.partial))
	return nil
}

func (c *call) create(w http.ResponseWriter) error {
	text, err := c.body("application/json", "application/yaml")
	if err != nil {
		return err
	}
	var o metav1.CreateOptions
	query := c.request.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_CreateOptions(&query, &o, nil); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if c.name.Name != "" {
		return apierrors.NewMethodNotSupported(c.resource.GroupResource(), "create")
	}
	sent, err := c.object(text)
	if err != nil {
		return err
	}
	if o.FieldManager == "" {
		o.FieldManager, _, _ = strings.Cut(c.request.UserAgent(), "/")
	}
	c.name.Name = sent.GetName()
	now, err := c.server.store.create(write{
		resource: c.resource, name: c.name, sent: sent, manager: o.FieldManager, dryRun: len(o.DryRun) > 0,
	})
	if err != nil {
		return err
	}
	send(w, http.StatusCreated, now.sent(c.partial))
	return nil
}

// delete answers with a Status when the object is gone, and with the object when it waits for finalizers.
func (c *call) delete(w http.ResponseWriter) error {
	var o metav1.DeleteOptions
	query := c.request.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_DeleteOptions(&query, &o, nil); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if c.request.ContentLength != 0 {
		text, err := c.body("application/json")
		if err != nil {
			return err
		}
		if len(text) > 0 {
			if err := json.Unmarshal(text, &o); err != nil {
				return apierrors.NewBadRequest(err.Error())
			}
		}
	}
	last, marked, err := c.server.store.remove(c.resource, c.name, o)
	if err != nil {
		return err
	}
	if marked {
		send(w, http.StatusOK, last.sent(c.partial))
		return nil
	}
	done, err := c.deleted(last)
	if err != nil {
		return err
	}
	send(w, http.StatusOK, done)
	return nil
}

func (c *call) deleted(last *record) ([]byte, error) {
	u, err := last.object()
	if err != nil {
		return nil, err
	}
	return json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: last.Name, Group: c.resource.Group, Kind: c.resource.Resource, UID: u.GetUID()},
	})
}
