package memberserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// page is the position at which a list continues: after an object, in the state of a version.
type page struct {
	Version uint64               `json:"rv"`
	After   types.NamespacedName `json:"after"`
}

// options returns the options of a list or a watch.
func (c *call) options() (o metav1.ListOptions, s selection, err error) {
	query := c.request.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &o, nil); err != nil {
		return o, s, apierrors.NewBadRequest(err.Error())
	}
	s, err = c.selection(o)
	return o, s, err
}

// list sends the selected objects, in pages if the client asks for pages. A client that accepts any version (resourceVersion 0)
// gets all objects at once, as from API servers.
func (c *call) list(w http.ResponseWriter) error {
	o, selected, err := c.options()
	if err != nil {
		return err
	}
	p, err := start(o)
	if err != nil {
		return err
	}
	limit := int(o.Limit)
	if o.Continue == "" && o.ResourceVersion == "0" {
		limit = 0
	}
	read := c.server.store.at
	if limit > 0 {
		read = c.server.store.pages
	}
	all, version, err := read(c.resource, p.Version)
	if err != nil {
		return err
	}
	all, rest := selected.page(all[p.position(all):], limit)
	meta := metav1.ListMeta{ResourceVersion: strconv.FormatUint(version, 10)}
	switch {
	case len(rest) > 0:
		meta.Continue = page{version, all[limit-1].NamespacedName}.String()
		if selected.everything() {
			meta.RemainingItemCount = new(selected.count(rest))
		}
	case limit > 0:
		c.server.store.paged(c.resource, version)
	}
	text, err := c.listed(all, meta)
	if err != nil {
		return err
	}
	send(w, http.StatusOK, text)
	return nil
}

// listed returns the JSON of a list.
func (c *call) listed(records []*record, meta metav1.ListMeta) ([]byte, error) {
	kind, version := c.resource.kind.Kind+"List", c.resource.GroupVersion().String()
	if c.partial {
		kind, version = "PartialObjectMetadataList", "meta.k8s.io/v1"
	}
	head, err := json.Marshal(meta)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"kind":%q,"apiVersion":%q,"metadata":%s,"items":[`, kind, version, head)
	for i, r := range records {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(r.sent(c.partial))
	}
	b.WriteString("]}")
	return b.Bytes(), nil
}

// start returns the page at which the list begins.
func start(o metav1.ListOptions) (page, error) {
	var p page
	if o.Continue == "" {
		if o.ResourceVersionMatch != metav1.ResourceVersionMatchExact {
			return p, nil // the current version is never older
		}
		version, err := strconv.ParseUint(o.ResourceVersion, 10, 64)
		if err != nil || version == 0 {
			return p, apierrors.NewBadRequest(fmt.Sprintf("resourceVersion %q cannot be matched exactly", o.ResourceVersion))
		}
		return page{Version: version}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(o.Continue)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.Version == 0 {
		return p, apierrors.NewBadRequest("continue key is not valid")
	}
	return p, nil
}

// position returns the position of the first object of the page.
func (p page) position(all []*record) int {
	i, found := slices.BinarySearchFunc(all, p.After, func(r *record, after types.NamespacedName) int { return byName(r.NamespacedName, after) })
	if found {
		i++
	}
	return i
}

// String returns the token that requests the page.
func (p page) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // a number and two strings
	}
	return base64.RawURLEncoding.EncodeToString(text)
}
