package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc.example/understudy/specs"
)

// heat is the coverage of one interface: operations down, statuses across.
type heat struct {
	Interface           specs.Interface
	Statuses            []string
	Rows                []heatRow
	Covered, Documented int
}

// Share returns the touched share of the operations, in percent.
func (h heat) Share() float64 { return Axis{Covered: h.Covered, Documented: h.Documented}.Percent() }

type heatRow struct {
	Operation string // without its interface
	Exchanges int
	Cells     []heatCell
	Parts     []heatPart // parameters, enums, properties
}

// heatPart counts how much of one kind of thing an operation has seen, and names the rest.
type heatPart struct {
	Seen, All int
	Missed    string
}

// heatCell is one status of one operation: seen, unseen (documented, but not answered), undocumented, or none.
type heatCell struct {
	State, Status, Text, Title string
}

// maxMissed bounds the names of unseen things that a page lists for one operation.
const maxMissed = 30

// heatMap shows coverage by interface, those of the platform first.
func (r *Report) heatMap() []heat {
	names := map[specs.Interface][]string{}
	for name := range r.Coverage.Operations {
		iface, _, _ := strings.Cut(name, ".")
		names[specs.Interface(iface)] = append(names[specs.Interface(iface)], name)
	}
	for name := range r.Coverage.Untouched {
		iface, _, _ := strings.Cut(name, ".")
		names[specs.Interface(iface)] = append(names[specs.Interface(iface)], name)
	}
	order := slices.DeleteFunc(specs.Interfaces(), func(iface specs.Interface) bool { return names[iface] == nil })
	for _, iface := range slices.Sorted(maps.Keys(names)) {
		if !slices.Contains(order, iface) {
			order = append(order, iface)
		}
	}
	var list []heat
	for _, iface := range order {
		list = append(list, r.heatOf(iface, names[iface]))
	}
	return list
}

func (r *Report) heatOf(iface specs.Interface, operations []string) heat {
	h := heat{Interface: iface, Documented: len(operations)}
	documented := map[string][]string{}
	for _, name := range operations {
		touched := r.Coverage.Operations[name]
		all := slices.Concat(touched.Responses.Seen, touched.Responses.Missed, r.Coverage.Untouched[name])
		for _, response := range all {
			status, _, _ := strings.Cut(response, " ")
			documented[name] = append(documented[name], status)
		}
		h.Statuses = append(append(h.Statuses, documented[name]...), slices.Collect(maps.Keys(touched.Statuses))...)
		if touched.Exchanges > 0 {
			h.Covered++
		}
	}
	slices.Sort(h.Statuses)
	h.Statuses = slices.Compact(h.Statuses)
	slices.SortFunc(operations, func(a, b string) int {
		if seenA, seenB := r.Coverage.Operations[a].Exchanges > 0, r.Coverage.Operations[b].Exchanges > 0; seenA != seenB {
			if seenA {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, name := range operations {
		h.Rows = append(h.Rows, r.heatRow(name, h.Statuses, documented[name]))
	}
	return h
}

func (r *Report) heatRow(name string, statuses, documented []string) heatRow {
	touched := r.Coverage.Operations[name]
	_, operation, _ := strings.Cut(name, ".")
	row := heatRow{Operation: operation, Exchanges: touched.Exchanges}
	for _, status := range statuses {
		row.Cells = append(row.Cells, cellOf(status, touched.Statuses[status], documented, touched.Statuses))
	}
	for _, p := range []Parts{touched.Parameters, touched.Enums, touched.Properties} {
		part := heatPart{Seen: len(p.Seen), All: len(p.Seen) + len(p.Missed)}
		if len(p.Missed) > 0 {
			part.Missed = "never seen: " + strings.Join(p.Missed[:min(len(p.Missed), maxMissed)], ", ")
			if more := len(p.Missed) - maxMissed; more > 0 {
				part.Missed += fmt.Sprintf(" and %d more", more)
			}
		}
		row.Parts = append(row.Parts, part)
	}
	return row
}

// cellOf returns what is known of a status. One that a class or the default documents is documented too.
func cellOf(status string, seen int, documented []string, answered map[string]int) heatCell {
	cell := heatCell{Status: status}
	isDocumented := len(documented) == 0 ||
		slices.ContainsFunc(documented, func(d string) bool { return covers(d, status) })
	switch {
	case seen > 0 && isDocumented:
		cell.State, cell.Text, cell.Title = "seen", compact(seen), fmt.Sprintf("%s: seen %d times", status, seen)
	case seen > 0:
		cell.State, cell.Text = "undocumented", compact(seen)+"!"
		cell.Title = fmt.Sprintf("%s: seen %d times, and not documented", status, seen)
	case !slices.Contains(documented, status):
	case slices.ContainsFunc(slices.Collect(maps.Keys(answered)),
		func(s string) bool { return s != status && covers(status, s) }):
		cell.State, cell.Text, cell.Title = "seen", "✓", status+": seen"
	default:
		cell.State, cell.Text, cell.Title = "unseen", "·", status+": documented, never seen"
	}
	return cell
}

// covers reports whether what is documented for a status, its class, or the default fits an answer.
func covers(documented, status string) bool {
	return documented == status || documented == "default" ||
		len(documented) == 3 && strings.HasSuffix(strings.ToUpper(documented), "XX") && documented[0] == status[0]
}

// compact returns a number in four characters at most.
func compact(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
