package render

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/accord-dev/accord/render/decode"
)

// Limits of one kustomization with everything it uses. Kustomize compares every object with every other and cannot be
// interrupted. Without limits, a few lines with nested bases could keep it busy for hours.
const (
	MaxInParts        = 20_000   // objects and kustomizations; a base counts as often as it is used
	MaxKustomizedSize = 32 << 20 // bytes; a base counts as often as it is used, with the additions of patches and labels
	MaxSteps          = 200_000  // changes of one object by one patch, replacement or image
	MaxReplacements   = 1_000    // of one kustomization
	MaxWithSchema     = 250      // objects and kustomizations of one with the field openapi: all other builds wait for it
)

// weight is an upper bound for the work that kustomize does for one kustomization.
type weight struct {
	objects, bytes, steps int
	schemas               int // kustomizations with the field openapi
}

func (w *weight) add(o weight) {
	w.objects, w.bytes, w.steps, w.schemas = w.objects+o.objects, w.bytes+o.bytes, w.steps+o.steps, w.schemas+o.schemas
}

// weigh computes the weight of a kustomization and returns an error if it exceeds a limit. A base is weighed once and
// added as often as it is used.
func (v *vetter) weigh(r *root) (weight, error) {
	if w, known := v.weights[r]; known {
		return w, nil
	}
	w := weight{objects: 1 + len(r.resources) + len(r.kustomization.ConfigMapGenerator) + len(r.kustomization.SecretGenerator), bytes: r.size}
	for _, used := range r.uses {
		below, err := v.weigh(used)
		if err != nil {
			return weight{}, err
		}
		if w.add(below); w.objects > MaxInParts {
			break
		}
	}
	k := &r.kustomization
	if len(k.OpenAPI) > 0 {
		w.schemas++
	}
	each := len(k.Images) + len(k.Replicas) + len(k.Labels)
	for _, replacement := range r.Replacements {
		each += targets(replacement)
	}
	w.steps += w.objects * (each + len(k.Patches) + len(k.PatchesJson6902) + len(k.Transformers))
	w.steps += len(k.PatchesStrategicMerge)
	w.bytes += w.objects * r.bytesAdded()
	if err := r.checkLimits(w); err != nil {
		return weight{}, err
	}
	for range r.copies + v.doublings(r) { // each can double the size of everything
		if w.bytes <= MaxKustomizedSize {
			w.bytes *= 2
		}
	}
	v.weights[r] = w
	return w, r.checkLimits(w)
}

// checkLimits returns an error for the first exceeded limit.
func (r *root) checkLimits(w weight) error {
	for _, limit := range []struct {
		has, most int
		of        string
	}{
		{len(r.Replacements), MaxReplacements, "replacements"},
		{w.objects, MaxInParts, "objects and kustomizations"},
		{w.bytes, MaxKustomizedSize, "bytes"},
		{w.steps, MaxSteps, "changes of an object"},
	} {
		if limit.has > limit.most {
			return r.errorf("", "has more than %d %s to build, counting a base as often as it is used; split it", limit.most, limit.of)
		}
	}
	if w.schemas > 0 && w.objects > MaxWithSchema {
		return r.errorf("openapi", "has more than %d objects and kustomizations to build with the field openapi, which all other builds wait for; remove openapi, or split it", MaxWithSchema)
	}
	return nil
}

// bytesAdded returns an upper bound for the bytes that the kustomization adds to every object.
func (r *root) bytesAdded() int {
	k := &r.kustomization
	text, err := json.Marshal([]any{k.NamePrefix, k.NameSuffix, k.Namespace, k.CommonLabels, k.CommonAnnotations, k.Labels, k.Images})
	if err != nil {
		return MaxKustomizedSize
	}
	return len(text) + r.bytesPerObject
}

// weighPatch records the size of a patch and its copy operations.
func (v *vetter) weighPatch(r *root, p types.Patch) error {
	f, text := r.File, []byte(p.Patch)
	if p.Path != "" {
		name := path.Join(r.Dir, p.Path)
		data, err := v.memory.ReadFile("/" + name)
		if err != nil {
			return r.errorf(p.Path, "%q is not in memory: %v", p.Path, err)
		}
		f, text = v.file(name), data
	} else if n := findScalar(r.node, p.Patch); n != nil {
		f.Origin = r.At(n.Line + r.offset)
	}
	if p.Target != nil {
		r.bytesPerObject += len(text)
	} else {
		r.size += len(text)
	}
	return r.countCopies(f, text, p.Path != "")
}

// countCopies records the size and the copy operations of a JSON patch. With lines, the text is a whole file and errors
// have its lines.
func (r *root) countCopies(f decode.File, text []byte, lines bool) error {
	text, err := f.Normalize(text)
	if err != nil {
		return err
	}
	return f.EachValue(text, lines, func(_ int, value any, d *decode.Decoder) error {
		r.size += d.Bytes
		operations, _ := value.([]any)
		for _, item := range operations {
			if operation, _ := item.(map[string]any); strings.EqualFold(fmt.Sprint(operation["op"]), "copy") {
				r.copies++
			}
		}
		return nil
	})
}
