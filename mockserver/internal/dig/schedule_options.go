package dig

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// readSchedule reads the block `schedule:`, which has exactly one kind and any of the options.
func (d *definition) readSchedule(v *value) error {
	if v == nil {
		return nil
	}
	if v.kind != mapping {
		return failf(d.file, v.line, "schedule must be a mapping with one of %s; it is %s", kindNames(), v.noun())
	}
	kind, err := d.readKind(v)
	if err != nil {
		return err
	}
	if !kind.value.scalar() {
		return failf(d.file, kind.line, "%s must be text, not %s", kind.key, kind.value.noun())
	}
	s, err := NewSchedule(strings.TrimSuffix(kind.key, ">"), kind.value.text, d.workflow.Zone)
	if err != nil {
		return failf(d.file, kind.line, "%v", err)
	}
	for _, f := range v.fields {
		if reason := s.readOption(f); reason != "" {
			return failf(d.file, f.line, "%s", reason)
		}
	}
	d.workflow.Schedule = &s
	return nil
}

func (d *definition) readKind(v *value) (field, error) {
	var found []field
	for _, f := range v.fields {
		if strings.HasSuffix(f.key, ">") {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return field{}, failf(d.file, v.line, "the schedule has no kind; want one of %s", kindNames())
	case 1:
		return found[0], nil
	}
	return field{}, failf(d.file, found[1].line, "a schedule has one kind, but this one has %s and %s: keep one of them",
		found[0].key, found[1].key)
}

// readOption passes over unknown keys, as the engine does (assumed).
func (s *Schedule) readOption(f field) (reason string) {
	switch f.key {
	case "skip_on_overtime":
		s.SkipOnOvertime, reason = readBoolean(f.key, f.value)
	case "skip_delayed_by":
		s.SkipDelayedBy, reason = readDuration(f.key, f.value)
	case "start":
		s.Start, reason = readDay(f.key, f.value, s.Zone)
	case "end":
		s.End, reason = readDay(f.key, f.value, s.Zone)
	}
	return reason
}

func readDay(key string, v *value, zone *time.Location) (time.Time, string) {
	day, err := time.Parse(time.DateOnly, v.text)
	if err != nil || !v.scalar() {
		return time.Time{}, key + " must be a day like 2006-01-31, not " + v.excerpt()
	}
	return startOfDay(day, zone), ""
}

// readDuration takes `60s`, `1h 30m`, `2d`, or a number of seconds; at most ten thousand days.
func readDuration(key string, v *value) (time.Duration, string) {
	const most = 10_000 * 24 * time.Hour
	units := map[string]time.Duration{
		"": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}
	part := regexp.MustCompile(`^\s*(\d{1,9})\s*([smhd]?)\s*`)
	var total time.Duration
	valid := v.scalar() && v.text != ""
	for rest := v.text; valid && rest != ""; {
		found := part.FindStringSubmatch(rest)
		if valid = found != nil && (found[2] != "" || found[0] == v.text); !valid {
			break
		}
		n, err := strconv.ParseInt(found[1], 10, 64)
		if valid = err == nil && n <= int64(most/units[found[2]]); valid {
			total += time.Duration(n) * units[found[2]]
		}
		rest = rest[len(found[0]):]
	}
	if !valid || total > most || total < 0 {
		return 0, key + " must be a duration like 30s, 10m, 1h 30m or 2d, not " + v.excerpt()
	}
	return total, ""
}
