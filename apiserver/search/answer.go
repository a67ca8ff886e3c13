package search

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/accord-dev/accord/apiserver/answer"
	"github.com/accord-dev/accord/clusters/proxy"
	"github.com/accord-dev/accord/clusters/search"
)

// listOptions are the parameters of a list or a watch.
type listOptions struct {
	labels     labels.Selector
	fields     fields.Selector
	version    string
	from       search.Versions // of version
	exact      bool
	limit      int64
	next       string
	timeout    time.Duration
	bookmarks  bool
	initial    bool // sendInitialEvents
	hasInitial bool
}

func optionsOf(query url.Values) (o listOptions, err error) {
	bad := func(name string, err error) error { return apierrors.NewBadRequest(name + ": " + err.Error()) }
	if o.labels, err = labels.Parse(query.Get("labelSelector")); err != nil {
		return o, bad("labelSelector", err)
	}
	if o.fields, err = fields.ParseSelector(query.Get("fieldSelector")); err != nil {
		return o, bad("fieldSelector", err)
	}
	o.version, o.next = query.Get("resourceVersion"), query.Get("continue")
	if o.from, err = search.ParseVersions(o.version); err != nil {
		return o, apierrors.NewResourceExpired(err.Error())
	}
	o.exact = query.Get("resourceVersionMatch") == string(metav1.ResourceVersionMatchExact)
	if text := query.Get("limit"); text != "" {
		if o.limit, err = strconv.ParseInt(text, 10, 64); err != nil || o.limit < 0 {
			return o, apierrors.NewBadRequest("limit is a whole number, 0 or more")
		}
	}
	if text := query.Get("timeoutSeconds"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 32)
		if err != nil || seconds < 0 {
			return o, apierrors.NewBadRequest("timeoutSeconds is a whole number, 0 or more")
		}
		o.timeout = time.Duration(seconds) * time.Second
	}
	o.bookmarks = isTrue(query.Get("allowWatchBookmarks"))
	o.hasInitial = query.Has("sendInitialEvents")
	o.initial = isTrue(query.Get("sendInitialEvents"))
	return o, nil
}

func isTrue(text string) bool { return text == "true" || text == "1" }

func (o listOptions) selector(a *asked) search.Selector {
	s := search.Selector{Namespace: a.Namespace, Labels: o.labels, Fields: o.fields}
	if a.Name != "" && a.Verb == "watch" {
		s.Fields = fields.AndSelectors(o.fields, fields.OneTermEqualSelector("metadata.name", a.Name))
	}
	return s
}

// mostWarnings bounds the clusters that have a warning of their own.
const mostWarnings = 10

// warnAbout names the clusters whose objects are absent or old.
func warnAbout(w http.ResponseWriter, v view) {
	warned := 0
	for _, of := range []struct {
		errs map[string]error
		what string
	}{{v.omitted, "is left out"}, {v.stale, "does not answer"}} {
		for i, cluster := range slices.Sorted(maps.Keys(of.errs)) {
			if warned++; warned > mostWarnings {
				names := slices.Sorted(maps.Keys(of.errs))[i:]
				proxy.Warn(w, fmt.Sprintf("clusters that each %s, too: %.2000s", of.what, strings.Join(names, ", ")))
				break
			}
			proxy.Warn(w, fmt.Sprintf("cluster %s %s: %.500s", cluster, of.what, of.errs[cluster]))
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// answer answers a read of the view of all clusters.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, a *asked) {
	as, err := formOf(r)
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	switch a.Verb {
	case "get":
		o, err := s.only(r.Context(), a)
		if err != nil {
			proxy.Refuse(w, err)
			return
		}
		s.writeObject(w, r, a, as, o)
	case "list":
		s.answerList(w, r, a, as)
	default:
		s.answerWatch(w, r, a, as)
	}
}

func (s *Server) answerList(w http.ResponseWriter, r *http.Request, a *asked, as form) {
	o, err := optionsOf(r.URL.Query())
	if err == nil && o.exact {
		err = apierrors.NewResourceExpired("accord keeps no earlier versions: list without resourceVersionMatch=Exact")
	}
	var v view
	if err == nil {
		v, err = s.viewOf(r.Context(), a)
	}
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	v.settle(r.Context(), o.from)
	page, err := search.List(v.caches, o.selector(a), o.limit, o.next)
	if err != nil {
		proxy.Refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	if o.version == "0" && page.Version == "" {
		page.Version = "0"
	}
	warnAbout(w, v)
	s.writeList(w, r, a, as, page, (*search.Object).InCluster)
}

// answerFlat answers search/cache: a list of all objects, each with the resourceVersion of its cluster (Karmada 9.2). A name in the path
// selects the objects of this name.
func (s *Server) answerFlat(w http.ResponseWriter, r *http.Request, a *asked) {
	as, err := formOf(r)
	var o listOptions
	if err == nil {
		query := r.URL.Query()
		o, err = optionsOf(url.Values{"labelSelector": query["labelSelector"], "fieldSelector": query["fieldSelector"]})
	}
	var v view
	if err == nil {
		v, err = s.viewOf(r.Context(), a)
	}
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	v.settle(r.Context(), nil)
	selector := o.selector(a)
	if a.Name != "" {
		selector.Fields = fields.AndSelectors(o.fields, fields.OneTermEqualSelector("metadata.name", a.Name))
	}
	page, err := search.List(v.caches, selector, 0, "")
	if err != nil {
		proxy.Refuse(w, apierrors.NewInternalError(err))
		return
	}
	page.Version = ""
	warnAbout(w, v)
	s.writeList(w, r, a, as, page, func(o *search.Object) string { return o.Version })
}

func (s *Server) writeObject(w http.ResponseWriter, r *http.Request, a *asked, as form, o *search.Object) {
	var text []byte
	switch as {
	case asTable:
		var err error
		if text, err = s.tables.encode(a.kind, []*search.Object{o}, (*search.Object).InCluster, metav1.ListMeta{ResourceVersion: o.InCluster()}, r.URL.Query()); err != nil {
			proxy.Refuse(w, apierrors.NewInternalError(err))
			return
		}
	case onlyMetadata:
		text = o.AppendMetadata(nil, o.InCluster())
	default:
		text = o.AppendJSON(nil, o.InCluster())
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the caller may be gone
}

// compressed is the size from which an answer is compressed if the client accepts it, as API servers do.
const compressed = 128 << 10

// writeList writes a page. version returns the resourceVersion of each object.
func (s *Server) writeList(w http.ResponseWriter, r *http.Request, a *asked, as form, page search.Page, version func(*search.Object) string) {
	meta := metav1.ListMeta{ResourceVersion: page.Version, Continue: page.Continue}
	w.Header().Set("Content-Type", "application/json")
	if as == asTable {
		text, err := s.tables.encode(a.kind, page.Objects, version, meta, r.URL.Query())
		if err != nil {
			w.Header().Del("Content-Type")
			proxy.Refuse(w, apierrors.NewInternalError(err))
			return
		}
		_, _ = w.Write(text) // the caller may be gone
		return
	}
	kind, group := a.kind.Kind+"List", a.kind.GroupVersion().String()
	if as == onlyMetadata {
		kind, group = "PartialObjectMetadataList", "meta.k8s.io/v1"
	}
	out, end := body(w, r, len(page.Objects))
	defer end()
	fmt.Fprintf(out, `{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":%q`, kind, group, meta.ResourceVersion)
	if meta.Continue != "" {
		fmt.Fprintf(out, `,"continue":%q`, meta.Continue)
	}
	_, _ = io.WriteString(out, `},"items":[`)
	var text []byte
	for i, o := range page.Objects {
		text = text[:0]
		if i > 0 {
			text = append(text, ',')
		}
		if as == onlyMetadata {
			text = o.AppendMetadata(text, version(o))
		} else {
			text = o.AppendJSON(text, version(o))
		}
		if _, err := out.Write(text); err != nil {
			return // the caller is gone
		}
	}
	_, _ = io.WriteString(out, "]}\n")
}

// body returns the writer of a body, which is compressed if it is long and the client accepts it.
func body(w http.ResponseWriter, r *http.Request, objects int) (io.Writer, func()) {
	buffered := bufio.NewWriterSize(w, 64<<10)
	if objects*1024 < compressed || !answer.AcceptsGzip(r) {
		return buffered, func() { _ = buffered.Flush() }
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Add("Vary", "Accept-Encoding")
	packed, _ := gzip.NewWriterLevel(buffered, gzip.BestSpeed) // the level is valid
	return packed, func() { _ = packed.Close(); _ = buffered.Flush() }
}
