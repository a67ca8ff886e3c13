package v1alpha1

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accord-dev/accord/api/manifest"
)

// ResourceModel is one grade of node sizes (Karmada §1.8).
type ResourceModel struct {
	// Grade of the size, from 0.
	Grade uint32 `json:"grade"`
	// Ranges of the resources of a node of this grade.
	Ranges []ResourceModelRange `json:"ranges"`
}

// ResourceModelRange is the range [min, max) of one resource.
type ResourceModelRange struct {
	// Name of the resource: cpu, memory.
	Name corev1.ResourceName `json:"name"`
	// Min is the smallest quantity of the range.
	Min resource.Quantity `json:"min"`
	// Max is the first quantity above the range.
	Max resource.Quantity `json:"max"`
}

// DefaultResourceModels returns the grades 0 to 8 for a Cluster without resourceModels (Karmada §1.8).
func DefaultResourceModels() []ResourceModel {
	const gi = 1 << 30
	cores := []int64{0, 1, 2, 4, 8, 16, 32, 64, 128, math.MaxInt64}
	memory := []int64{0, 4 * gi, 16 * gi, 32 * gi, 64 * gi, 128 * gi, 256 * gi, 512 * gi, 1024 * gi, math.MaxInt64}
	models := make([]ResourceModel, len(cores)-1)
	for i := range models {
		models[i] = ResourceModel{Grade: uint32(i), Ranges: []ResourceModelRange{
			{Name: corev1.ResourceCPU, Min: *resource.NewQuantity(cores[i], resource.DecimalSI), Max: *resource.NewQuantity(cores[i+1], resource.DecimalSI)},
			{Name: corev1.ResourceMemory, Min: *resource.NewQuantity(memory[i], resource.BinarySI), Max: *resource.NewQuantity(memory[i+1], resource.BinarySI)},
		}}
	}
	return models
}

// StandardResourceModels returns models as Karmada stores them (Karmada §1.8): sorted by grade, the first grade from 0 and the
// last grade without an upper limit. It does not change models.
func StandardResourceModels(models []ResourceModel) []ResourceModel {
	if len(models) == 0 {
		return nil
	}
	sorted := make([]ResourceModel, len(models))
	for i, m := range models {
		sorted[i] = *m.DeepCopy()
	}
	slices.SortStableFunc(sorted, func(a, b ResourceModel) int { return cmp.Compare(a.Grade, b.Grade) })
	for i := range sorted[0].Ranges {
		sorted[0].Ranges[i].Min = *resource.NewQuantity(0, sorted[0].Ranges[i].Min.Format)
	}
	last := sorted[len(sorted)-1].Ranges
	for i := range last {
		last[i].Max = *resource.NewQuantity(math.MaxInt64, resource.DecimalSI)
	}
	return sorted
}

// checkResourceModels reports mistakes that StandardResourceModels does not correct, at the fields of the manifest.
func checkResourceModels(doc *manifest.Doc, written []ResourceModel) {
	models := StandardResourceModels(written)
	order := make([]int, len(written)) // where each standard model was written
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(written[a].Grade, written[b].Grade) })
	for i, m := range models {
		field := fmt.Sprintf("spec.resourceModels[%d]", order[i])
		checkRanges(doc, field, m)
		if i > 0 {
			checkSuccession(doc, field, models[i-1], m)
		}
	}
}

// checkRanges reports mistakes in one grade.
func checkRanges(doc *manifest.Doc, field string, m ResourceModel) {
	doc.Require(field+".ranges", len(m.Ranges) > 0)
	for j, r := range m.Ranges {
		at := fmt.Sprintf("%s.ranges[%d]", field, j)
		doc.Require(at+".name", r.Name != "")
		if slices.IndexFunc(m.Ranges, func(x ResourceModelRange) bool { return x.Name == r.Name }) < j {
			doc.Errorf(at, "%s repeats resource %q", at, r.Name)
		}
		if r.Max.Cmp(r.Min) <= 0 {
			doc.Errorf(at, "%s: max %s of %s is not greater than min %s", at, r.Max.String(), r.Name, r.Min.String())
		}
	}
}

// checkSuccession reports mistakes between two grades in a row: the ranges of the second begin where those of the first end.
func checkSuccession(doc *manifest.Doc, field string, lower, m ResourceModel) {
	if m.Grade == lower.Grade {
		doc.Errorf(field+".grade", "%s.grade is %d, which is a duplicate", field, m.Grade)
		return
	}
	for j, r := range m.Ranges {
		below := slices.IndexFunc(lower.Ranges, func(x ResourceModelRange) bool { return x.Name == r.Name })
		at := fmt.Sprintf("%s.ranges[%d]", field, j)
		if below < 0 {
			doc.Errorf(at, "%s: grade %d has a range of %s and grade %d has none; every grade must name the same resources", at, m.Grade, r.Name, lower.Grade)
		} else if end := lower.Ranges[below].Max; end.Cmp(r.Min) != 0 {
			doc.Errorf(at, "%s: %s of grade %d begins at %s, and grade %d ends at %s; grades must have no gaps and no overlaps",
				at, r.Name, m.Grade, r.Min.String(), lower.Grade, end.String())
		}
	}
	for _, r := range lower.Ranges {
		if !slices.ContainsFunc(m.Ranges, func(x ResourceModelRange) bool { return x.Name == r.Name }) {
			doc.Errorf(field, "%s: grade %d has no range of %s and grade %d has one; every grade must name the same resources", field, m.Grade, r.Name, lower.Grade)
		}
	}
}
