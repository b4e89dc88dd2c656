package resource

import (
	"iter"
	"math"
	"slices"

	"svc.example/understudy/mockserver/internal/op"
)

// Page is the part of a list that a call asks for.
type Page struct {
	Newest  bool  // newest first
	After   bool  // only what comes after AfterID, in the order of the list
	AfterID int64 // the id that the page before ended with
	Offset  int   // how many rows to leave out, for dialects that count instead
	Limit   int   // at most so many; 0: all
	Count   bool  // whether the list must contain its Total, which means reading on behind the page
}

// List is the part of a collection that a Page selects.
type List struct {
	Page  Page
	Items []any // views, never nil
	Last  int64 // id of the last item
	More  bool  // whether there is a further page; always set with Count, else as far as is known
	Total int   // rows that pass the filters, with Count
}

func (r *Resource) list(c *op.Call) (list List, err error) {
	list.Items = []any{}
	if r.Page != nil {
		if list.Page, err = r.Page(c); err != nil {
			return list, err
		}
	}
	match := func(any) bool { return true }
	if r.Match != nil {
		if match, err = r.Match(c); err != nil {
			return list, err
		}
	}
	rows, err := r.sorted(c, r.rows(c, list.Page))
	if err != nil {
		return list, err
	}
	for id, row := range rows {
		if !match(row) {
			continue
		}
		list.Total++
		switch full := list.Page.Limit > 0 && len(list.Items) == list.Page.Limit; {
		case list.Total <= list.Page.Offset:
		case !full:
			list.Items = append(list.Items, r.view(c, row))
			list.Last = id
		default:
			if list.More = true; !list.Page.Count {
				return list, nil
			}
		}
	}
	return list, nil
}

// sorted brings rows into the order that the call wants.
func (r *Resource) sorted(c *op.Call, rows iter.Seq2[int64, any]) (iter.Seq2[int64, any], error) {
	if r.Sort == nil {
		return rows, nil
	}
	compare, err := r.Sort(c)
	if err != nil || compare == nil {
		return rows, err
	}
	type entry struct {
		id  int64
		row any
	}
	var all []entry
	for id, row := range rows {
		all = append(all, entry{id, row})
	}
	slices.SortStableFunc(all, func(a, b entry) int { return compare(a.row, b.row) })
	return func(yield func(int64, any) bool) {
		for _, e := range all {
			if !yield(e.id, e.row) {
				return
			}
		}
	}, nil
}

func (r *Resource) rows(c *op.Call, page Page) iter.Seq2[int64, any] {
	rows := r.Rows(c.World)
	none := page.Newest && page.AfterID <= 0 || !page.Newest && page.AfterID == math.MaxInt64
	switch {
	case page.After && none:
		return func(func(int64, any) bool) {}
	case page.Newest && page.After:
		return rows.Before(page.AfterID)
	case page.Newest:
		return rows.Before(0)
	case page.After:
		return rows.After(max(page.AfterID, 0))
	}
	return rows.All()
}

// ByID is the paging that goes on from the id that the page before ended with.
type ByID struct {
	Newest  bool   // newest first
	Last    string // name of the parameter with the last id: last_id
	Size    string // name of the parameter with the page's size; empty when it is fixed
	Default int    // size when the parameter is absent
	Max     int    // more is refused; 0: no maximum
}

// PageOf implements Of.Page.
func (p ByID) PageOf(c *op.Call) (Page, error) {
	page := Page{Newest: p.Newest, After: c.Text(p.Last) != "", Limit: p.Default}
	var err error
	if page.AfterID, err = c.Int(p.Last, 0); err == nil && p.Size != "" {
		page.Limit, err = size(c, p.Size, p.Default, p.Max)
	}
	return page, err
}

// ByOffset is the paging that counts from the beginning of the list.
type ByOffset struct {
	Newest  bool
	Offset  string // name of the parameter with the number of rows to leave out: page[offset]
	Limit   string // name of the parameter with the page's size: page[limit]
	Default int    // size when the parameter is absent
	Max     int    // more is refused; 0: no maximum
}

// PageOf implements Of.Page.
func (p ByOffset) PageOf(c *op.Call) (Page, error) {
	page := Page{Newest: p.Newest, Count: true}
	skip, err := c.Int(p.Offset, 0)
	if err != nil {
		return page, err
	}
	if skip < 0 {
		return page, op.Invalid(p.Offset, "must be at least 0, but is %d", skip)
	}
	page.Offset = int(skip)
	page.Limit, err = size(c, p.Limit, p.Default, p.Max)
	return page, err
}

// ByPage is the paging by the number of the page, from 1 on.
type ByPage struct {
	Newest  bool
	Page    string // name of the parameter with the page's number
	Size    string // name of the parameter with its size
	Default int    // size when the parameter is absent
}

// PageOf implements Of.Page.
func (p ByPage) PageOf(c *op.Call) (Page, error) {
	page := Page{Newest: p.Newest, Count: true}
	number, err := size(c, p.Page, 1, 0)
	if err != nil {
		return page, err
	}
	if page.Limit, err = size(c, p.Size, p.Default, 0); err != nil {
		return page, err
	}
	page.Offset = math.MaxInt // a page that lies beyond every list
	if before := number - 1; before <= math.MaxInt/page.Limit {
		page.Offset = before * page.Limit
	}
	return page, nil
}

func size(c *op.Call, name string, otherwise, most int) (int, error) {
	n, err := c.Int(name, int64(otherwise))
	switch {
	case err != nil:
		return 0, err
	case n < 1:
		return 0, op.Invalid(name, "must be at least 1, but is %d", n)
	case most > 0 && n > int64(most):
		return 0, op.Invalid(name, "must be at most %d, but is %d", most, n)
	}
	return int(n), nil
}
