package world_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/mockserver/internal/clock"
	"svc.example/understudy/mockserver/internal/dig"
	"svc.example/understudy/mockserver/internal/table"
	"svc.example/understudy/mockserver/internal/world"
)

// filler gives every field of a value something that is not its zero value, whatever there is.
type filler struct {
	t    *testing.T
	next int64 // each number and text is another one
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	rawType     = reflect.TypeFor[json.RawMessage]()
	clockType   = reflect.TypeFor[clock.Clock]()
	recordsType = reflect.TypeFor[world.Records]()
	eventsType  = reflect.TypeFor[world.DueEvents]()
	digType     = reflect.TypeFor[*dig.Workflow]()
)

// fill fills what v, which can be set, holds, and what stands below it.
func (f *filler) fill(path string, v reflect.Value) {
	f.next++
	switch {
	case v.Type() == timeType:
		v.Set(reflect.ValueOf(time.Unix(f.next, 5).UTC()))
		return
	case v.Type() == rawType:
		v.SetBytes(fmt.Appendf(nil, `{"n":%d}`, f.next))
		return
	case v.Type() == recordsType:
		v.Set(reflect.ValueOf(world.Records{}.Append(world.Record{Time: f.next, Values: `{"a":"b"}`})))
		return
	case v.Type() == clockType, v.Type() == eventsType, v.Type() == digType, path == "World.waits", path == "World.Own",
		path == "World.Account.groupTags", path == "World.Account.policyUsers", path == "World.Workflow.pools",
		path == "World.Workflow.revisionNames":
		return // see filled
	case v.CanAddr() && v.Addr().MethodByName("Put").IsValid():
		f.put(path, v)
		return
	}
	f.kind(path, v)
}

// put puts one entry into a table or an index.
func (f *filler) put(path string, v reflect.Value) {
	put := v.Addr().MethodByName("Put")
	key, value := reflect.New(put.Type().In(0)).Elem(), reflect.New(put.Type().In(1)).Elem()
	f.fill(path+".key", key)
	f.fill(path+".value", value)
	put.Call([]reflect.Value{key, value})
}

func (f *filler) kind(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", f.next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(f.next)
	case reflect.Uint64:
		v.SetUint(uint64(f.next))
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(float64(f.next) + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(path, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(path, v.Index(0))
		f.fill(path, v.Index(1))
	case reflect.Array:
		for i := range v.Len() {
			f.fill(path, v.Index(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(path, key)
		f.fill(path, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(path+"."+v.Type().Field(i).Name, open(v.Field(i)))
		}
	default:
		f.t.Fatalf("%s is of the kind %s, which the filler does not know", path, v.Kind())
	}
}

// open makes a field that is not exported one that can be set.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// running is a query that is never done.
type running struct{ world.Query }

func (running) Done() bool { return false }

// filled is a world with something in every field of every struct, as far as it can be recalled.
func filled(t *testing.T) *world.State {
	t.Helper()
	w := &world.State{Clock: clock.New(clock.Frozen, time.Date(2026, 1, 15, 9, 30, 0, 5, time.UTC))}
	f := filler{t: t}
	f.fill("World", reflect.ValueOf(w).Elem())
	w.Own.Keep("shop.product", 7, nil, world.Object{Keys: []string{"6", "p7"}, Text: jsontext.Value(`{"id":"p7"}`)})
	w.Plan(world.DueEvent{At: w.Now().Add(time.Hour), Kind: "happens", ID: 1})
	for id := range int64(2) { // an event that waits is one that is due
		w.Begin(world.DueEvent{At: w.Now(), Kind: "waits", ID: id + 1, Query: running{}})
	}
	for id, job := range table.All(&w.Core.Jobs) {
		*job.Output, *job.Answer.Output = sound, sound
		w.Core.Jobs.Put(id, job)
	}
	for _, queued := range world.EntriesOf(&w.Core.Results) {
		queued.Output = &sound
	}
	for _, tasks := range table.All(&w.Workflow.Tasks) {
		tasks[0].Parent, tasks[1].Parent = -1, -1
	}
	for _, g := range table.All(&w.Account.PolicyGroups) {
		w.Account.ChangedPolicyGroup(nil, &g)
	}
	for _, p := range table.All(&w.Workflow.Pools) {
		w.Workflow.ChangedPool(nil, &p)
	}
	for _, r := range table.All(&w.Workflow.PoolRules) {
		w.Workflow.ChangedPoolRule(nil, &r)
	}
	for id, r := range table.All(&w.Workflow.Revisions) {
		w.Workflow.Definitions = world.Workflow{}.Definitions
		r.ID, r.Previous, r.Archive, r.Definitions = id, id-1, archive(t), 1
		r.DefinitionIDs = r.DefinitionIDs[:1]
		workflow, err := dig.ReadDefinition("w.dig", []byte(definition))
		if err != nil {
			t.Fatal(err)
		}
		w.Workflow.AddRevision(r, []dig.Workflow{workflow})
	}
	return w
}

var sound = world.Output{Columns: [][2]string{{"a", "int"}}, Rows: []byte{0x91, 1}, Count: 1, Size: 9, Dropped: true}

const definition = "schedule:\n  daily>: 07:00:00\n+a:\n  echo>: 1\n+b:\n  echo>: 2\n"

// archive is a project with one workflow.
func archive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	tape := tar.NewWriter(zip)
	err := tape.WriteHeader(&tar.Header{Name: "w.dig", Mode: 0o600, Size: int64(len(definition))})
	if err == nil {
		_, err = tape.Write([]byte(definition))
	}
	if err != nil || tape.Close() != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// differences names the places where two values differ, tables and indexes entry by entry.
func differences(path string, a, b reflect.Value) (all []string) {
	if a.CanAddr() && holds(a) {
		a, b = entries(a), entries(b)
	}
	switch {
	case a.Type() == clockType || a.Type() == eventsType || path == "World.Brand" ||
		path == "World.waits" || path == "World.Own.words" || path == "World.Workflow.pools.allocated",
		path == "World.Account.policyUsers":
		return nil // compared by themselves; the brand is that of the server, the words are those of its documents, the
		// only pool is the default one, and the only user was removed
	case a.Type() == digType && cmp.Equal(a.Interface(), b.Interface(), cmp.Comparer(func(x, y *dig.Workflow) bool {
		return x.Name == y.Name && string(x.Config) == string(y.Config)
	})):
		return nil
	case a.Type() == timeType && a.Interface().(time.Time).Equal(b.Interface().(time.Time)):
		return nil
	case a.IsZero():
		return []string{path + " was not filled"}
	case a.Kind() == reflect.Struct && a.Type() != timeType:
		for i := range a.NumField() {
			name := a.Type().Field(i).Name
			all = append(all, differences(path+"."+name, open(a.Field(i)), open(b.Field(i)))...)
		}
		return all
	case a.Kind() == reflect.Interface && !a.IsNil() && !b.IsNil():
		return differences(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
		return differences(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Slice && a.Len() == b.Len() && a.Type().Elem().Kind() != reflect.Uint8:
		for i := range a.Len() {
			all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i))...)
		}
		return all
	case !reflect.DeepEqual(a.Interface(), b.Interface()):
		return []string{fmt.Sprintf("%s is %v, and was %v", path, b, a)}
	}
	return nil
}

// holds reports whether a value is a table, an index or records.
func holds(v reflect.Value) bool {
	switch v.Addr().Interface().(type) {
	case interface{ Rows() table.Rows }, interface{ Pairs() table.Pairs }, *world.Records:
		return true
	}
	return false
}

// entries are the entries of a table, an index or records.
func entries(v reflect.Value) reflect.Value {
	var list []any
	switch x := v.Addr().Interface().(type) {
	case interface{ Rows() table.Rows }:
		for _, row := range x.Rows().All() {
			list = append(list, row)
		}
	case interface{ Pairs() table.Pairs }:
		list = slices.Collect(x.Pairs().All())
	case *world.Records:
		for r := range x.All() {
			list = append(list, &r)
		}
	}
	return addressable(reflect.ValueOf(list))
}

func addressable(v reflect.Value) reflect.Value {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Elem()
}
