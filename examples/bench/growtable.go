package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// growthTable has figures of several sizes.
type growthTable struct {
	over  string // unit of the sizes
	sizes []int
	rows  []growthRow
	// target is the size for which the figures are calculated.
	target int
	// lastObjects and lastMembers are the largest size, for which its figures have bars.
	lastObjects, lastMembers int
}

// growthRow is one figure for each size.
type growthRow struct {
	what, unit string
	values     []float64
	bar        figure
}

// exponent returns the slope of the logarithms of values over those of sizes: 0 for a constant, 1 for a figure that grows
// as the size does. It is the line of least squares. ok is false for fewer than two sizes, and for a value that has no
// logarithm.
func exponent(sizes []int, values []float64) (slope float64, ok bool) {
	if len(sizes) < 2 || len(sizes) != len(values) {
		return 0, false
	}
	var x, y float64
	for i, v := range values {
		if v <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return 0, false
		}
		x, y = x+math.Log(float64(sizes[i])), y+math.Log(v)
	}
	x, y = x/float64(len(sizes)), y/float64(len(sizes))
	var up, along float64
	for i, v := range values {
		dx := math.Log(float64(sizes[i])) - x
		up, along = up+dx*(math.Log(v)-y), along+dx*dx
	}
	return up / along, along > 0
}

// calculated returns the figure of a size beyond the last: the last figure, multiplied as the exponent says. It does not count on a
// figure that falls.
func calculated(sizes []int, values []float64, target int) (value float64, ok bool) {
	slope, ok := exponent(sizes, values)
	if !ok {
		return 0, false
	}
	last := len(sizes) - 1
	return values[last] * math.Pow(float64(target)/float64(sizes[last]), max(0, slope)), true
}

// growthOf names an exponent.
func growthOf(exponent float64) string {
	switch {
	case exponent < 0.1:
		return "constant"
	case exponent < 0.9:
		return "below linear"
	case exponent <= 1.1:
		return "linear"
	}
	return "ABOVE LINEAR"
}

func (t growthTable) print(w io.Writer) error {
	fmt.Fprintf(w, "%d to %d %s. EXPONENT: 0 is constant, 1 is linear. A bar is for the largest size. (%d) is calculated from the exponent.\n\n",
		t.sizes[0], t.sizes[len(t.sizes)-1], t.over, t.target)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := []string{"FIGURE"}
	for _, n := range t.sizes {
		head = append(head, fmt.Sprint(n))
	}
	fmt.Fprintln(out, strings.Join(append(head, "EXPONENT", "", fmt.Sprintf("(%d)", t.target), "BAR", ""), "\t"))
	for _, r := range t.rows {
		fmt.Fprintln(out, strings.Join(r.cells(t), "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (r growthRow) cells(t growthTable) []string {
	cells := []string{r.what}
	for _, v := range r.values {
		cells = append(cells, r.text(v))
	}
	slope, growth, beyond := "-", "", "-"
	if n, ok := exponent(t.sizes, r.values); ok {
		slope, growth = fmt.Sprintf("%.2f", n), growthOf(n)
	}
	if v, ok := calculated(t.sizes, r.values, t.target); ok {
		beyond = r.text(v)
	}
	most, mark := row{figure: r.bar, value: r.values[len(r.values)-1]}.verdict(t.lastObjects, t.lastMembers)
	return append(cells, slope, growth, beyond, most, mark)
}

func (r growthRow) text(v float64) string {
	return strings.TrimSpace(fmt.Sprintf("%.*f %s", digits(v), v, r.unit))
}
