package recording_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc.example/understudy/specs/recording"
)

func TestParseFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]recording.Fault{
		"fault-1; answer=injected; effect=once": {ID: "fault-1", Effect: recording.EffectOnce, Injected: true},
		"fault-1; answer=own; effect=twice":     {ID: "fault-1", Effect: recording.EffectTwice},
		"prefer;effect=none;answer=injected":    {ID: "prefer", Effect: recording.EffectNone, Injected: true},
		"a/b:c ; answer=own":                    {ID: "a/b:c"},
		"fault-1":                               {ID: "fault-1", Injected: true},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, ok := recording.ParseFault(text)
			if diff := cmp.Diff(want, got); diff != "" || !ok {
				t.Errorf("%t (-want +got):\n%s", ok, diff)
			}
			again, ok := recording.ParseFault(got.String())
			if diff := cmp.Diff(want, again); diff != "" || !ok {
				t.Errorf("its own text %q is read as (-want +got):\n%s", got, diff)
			}
		})
	}
	for _, text := range []string{
		"", "1", "fault 1", "fault-1;", "fault-1; answer=mine", "fault-1; effect=thrice", "fault-1; other=1",
		"; answer=own", "fault-1\n", "fault-1, fault-2",
	} {
		t.Run("not "+text, func(t *testing.T) {
			t.Parallel()
			if f, ok := recording.ParseFault(text); ok {
				t.Errorf("%q is read as %+v", text, f)
			}
		})
	}
}

func TestInjectedFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "fault-1; answer=injected": true, "fault-1; answer=own": false, "what is not one": false,
	} {
		if _, got := (&recording.Exchange{Fault: text}).InjectedFault(); got != want {
			t.Errorf("fault %q: injected is %t, want %t", text, got, want)
		}
	}
}
