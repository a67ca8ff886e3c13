package render

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
)

// Limits of one kustomization with all it uses. Kustomize compares every object with every other, cannot be interrupted,
// and all builds of a process wait for it: a few lines that use each other twice must not keep it busy for hours.
const (
	MaxKustomized     = 5_000    // objects and kustomizations, those of a base counted as often as it is used
	MaxKustomizedSize = 32 << 20 // bytes, counted in the same way, with what patches and labels may add
	MaxSteps          = 200_000  // changes of one object by one patch, replacement or image
	MaxReplacements   = 1_000    // of one kustomization
)

// weight is what kustomize has to do for one kustomization, at most.
type weight struct{ objects, bytes, steps int }

func (w *weight) add(o weight) {
	w.objects, w.bytes, w.steps = w.objects+o.objects, w.bytes+o.bytes, w.steps+o.steps
}

// weigh refuses a kustomization that is too much. What it uses is weighed once, and counts as often as it is used.
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
		if w.add(below); w.objects > MaxKustomized {
			break
		}
	}
	k := &r.kustomization
	each := len(k.Images) + len(k.Replicas) + len(k.Labels)
	for _, replacement := range r.replacing {
		each += targets(replacement)
	}
	w.steps += w.objects * (each + len(k.Patches) + len(k.PatchesJson6902) + len(k.Transformers))
	w.steps += len(k.PatchesStrategicMerge)
	w.bytes += w.objects * r.addition()
	if err := r.bounded(w); err != nil {
		return weight{}, err
	}
	for range r.copies + v.doublings(r) { // each can make all twice as large
		if w.bytes <= MaxKustomizedSize {
			w.bytes *= 2
		}
	}
	v.weights[r] = w
	return w, r.bounded(w)
}

// bounded is an error for what is above a limit.
func (r *root) bounded(w weight) error {
	for _, limit := range []struct {
		has, most int
		of        string
	}{
		{len(r.replacing), MaxReplacements, "replacements"},
		{w.objects, MaxKustomized, "objects and kustomizations"},
		{w.bytes, MaxKustomizedSize, "bytes"},
		{w.steps, MaxSteps, "changes of an object"},
	} {
		if limit.has > limit.most {
			return r.errorf("", "has more than %d %s to build, counting a base as often as it is used; divide it", limit.most, limit.of)
		}
	}
	return nil
}

// addition is how many bytes the kustomization adds to every object, at most.
func (r *root) addition() int {
	k := &r.kustomization
	text, err := json.Marshal([]any{k.NamePrefix, k.NameSuffix, k.Namespace, k.CommonLabels, k.CommonAnnotations, k.Labels, k.Images})
	if err != nil {
		return MaxKustomizedSize
	}
	return len(text) + r.everywhere
}

// changes vets a patch: what it adds to each object counts, and how often it copies within one.
func (v *vetter) changes(r *root, p types.Patch) error {
	f, text := r.file, []byte(p.Patch)
	if p.Path != "" {
		name := path.Join(r.dir, p.Path)
		data, err := v.memory.ReadFile("/" + name)
		if err != nil {
			return r.errorf(p.Path, "%q is not in memory: %v", p.Path, err)
		}
		f, text = v.file(name), data
	} else if n := find(r.node, p.Patch); n != nil {
		f.origin = r.at(n.Line + r.offset)
	}
	if p.Target != nil {
		r.everywhere += len(text)
	} else {
		r.size += len(text)
	}
	return r.copying(f, text, p.Path != "")
}

// copying counts the operations of a JSON patch that copy; lines says whether those of the text are those of f.
func (r *root) copying(f file, text []byte, lines bool) error {
	text, err := f.normalize(text)
	if err != nil {
		return err
	}
	for _, d := range split(text) {
		if !lines {
			d.line = max(f.origin.Line, 1)
		}
		node, err := f.parse(d)
		if err != nil {
			return err
		}
		if node == nil {
			continue
		}
		decoder := &decoder{file: f, offset: d.line - 1}
		value, err := decoder.value(node, 0)
		if err != nil {
			return err
		}
		r.size += decoder.bytes
		operations, _ := value.([]any)
		for _, item := range operations {
			if operation, _ := item.(map[string]any); strings.EqualFold(fmt.Sprint(operation["op"]), "copy") {
				r.copies++
			}
		}
	}
	return nil
}
