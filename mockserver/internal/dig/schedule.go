package dig

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on machines that have none installed

	"github.com/robfig/cron/v3"
)

// Schedule describes when a workflow starts by itself. Start and End are midnights in the zone, zero when not given;
// the day of End still counts. It is made by NewSchedule or out of a definition; its zero value has no slots.
type Schedule struct {
	Kind, Spec     string // "daily", "07:00:00"
	Zone           *time.Location
	SkipOnOvertime bool          // leave a slot out while the session before it runs
	SkipDelayedBy  time.Duration // leave a slot out when it comes later than this; 0 for never
	Start, End     time.Time

	delay time.Duration
	slots *slots
}

// Slot is one planned session: Time is its session time, Run when it is started, both in the schedule's zone. For a
// daily schedule Time is 00:00 of the day of Run (client). The zero Slot means that no further one follows.
type Slot struct {
	Time, Run time.Time
}

// IsZero reports whether a schedule has no further slot.
func (s Slot) IsZero() bool { return s.Time.IsZero() }

// NewSchedule compiles a schedule without options: kind is one of hourly, daily, weekly, monthly, minutes_interval and
// cron, spec its value as a definition has it. A nil zone is UTC.
func NewSchedule(kind, spec string, zone *time.Location) (Schedule, error) {
	if zone == nil {
		zone = time.UTC
	}
	shape, err := timingOf(kind, spec)
	if err != nil {
		return Schedule{}, err
	}
	slots, err := compile(shape.cron, zone)
	if err != nil {
		return Schedule{}, err
	}
	return Schedule{Kind: kind, Spec: spec, Zone: zone, delay: shape.delay, slots: slots}, nil
}

// First returns the first slot that runs at or after from.
func (s Schedule) First(from time.Time) Slot { return s.At(from.Add(-s.delay)) }

// Next returns the first slot with a session time strictly after the given one.
func (s Schedule) Next(after time.Time) Slot {
	if s.slots == nil {
		return Slot{}
	}
	if !s.Start.IsZero() && after.Before(s.Start) {
		after = s.Start.Add(-1)
	}
	at := s.slots.next(after)
	if s.over(at) {
		return Slot{}
	}
	return s.slot(at)
}

// At returns the first slot with a session time at or after t.
func (s Schedule) At(t time.Time) Slot { return s.Next(t.Add(-1)) }

// Last returns the last slot with a session time at or before t.
func (s Schedule) Last(t time.Time) Slot {
	if s.slots == nil {
		return Slot{}
	}
	if s.over(t) {
		t = dayAfter(s.End).Add(-1)
	}
	at := s.slots.last(t)
	if at.Before(s.Start) {
		return Slot{}
	}
	return s.slot(at)
}

func (s Schedule) over(t time.Time) bool {
	return !s.End.IsZero() && !t.Before(dayAfter(s.End))
}

// slot adds the delay as elapsed time, as the engine does: on a day that is an hour short or long, a session runs an
// hour off its usual time of day (client).
func (s Schedule) slot(at time.Time) Slot {
	if at.IsZero() {
		return Slot{}
	}
	return Slot{Time: at, Run: at.Add(s.delay)}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// timing is the common form of every kind of schedule: a cron expression for the session times, and how long after each
// the session is started (client).
type timing struct {
	cron  string
	delay time.Duration
}

// kindNames shows each kind with the form of its value, in the order of the manual.
func kindNames() string {
	return "hourly>: MM:SS, daily>: HH:MM:SS, weekly>: Sun,HH:MM:SS, monthly>: D,HH:MM:SS, minutes_interval>: M, " +
		"cron>: with five fields"
}

func timingOf(kind, spec string) (timing, error) {
	switch kind {
	case "hourly":
		delay, err := clockTime(kind, "MM:SS", spec)
		return timing{"0 * * * *", delay}, err
	case "daily":
		delay, err := clockTime(kind, "HH:MM:SS", spec)
		return timing{"0 0 * * *", delay}, err
	case "weekly":
		return weekly(spec)
	case "monthly":
		return monthly(spec)
	case "minutes_interval":
		return everyMinutes(spec)
	case "cron":
		return timing{cron: spec}, nil
	}
	return timing{}, failf("", 0, "unknown kind of schedule %s; want one of %s", quote(kind), kindNames())
}

func weekly(spec string) (timing, error) {
	const form = "Sun,HH:MM:SS"
	day, at, found := strings.Cut(spec, ",")
	number, known := weekday(strings.TrimSpace(day))
	if !found || !known {
		return timing{}, specError("weekly", form, spec)
	}
	delay, err := clockTime("weekly", form, strings.TrimSpace(at))
	return timing{fmt.Sprintf("0 0 * * %d", number), delay}, err
}

func weekday(day string) (int, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(day, d.String()) || strings.EqualFold(day, d.String()[:3]) {
			return int(d), true
		}
	}
	return twoDigits(day, 0, 6)
}

func monthly(spec string) (timing, error) {
	const form = "D,HH:MM:SS"
	text, at, found := strings.Cut(spec, ",")
	day, ok := twoDigits(strings.TrimSpace(text), 1, 31)
	if !found || !ok {
		return timing{}, specError("monthly", form, spec)
	}
	delay, err := clockTime("monthly", form, strings.TrimSpace(at))
	return timing{fmt.Sprintf("0 0 %d * *", day), delay}, err
}

func everyMinutes(spec string) (timing, error) {
	minutes, ok := twoDigits(spec, 1, 59)
	if !ok {
		return timing{}, specError("minutes_interval", "M, a number of minutes from 1 to 59", spec)
	}
	return timing{cron: fmt.Sprintf("*/%d * * * *", minutes)}, nil
}

// clockTime reads the time at the end of a value, of which the form says whether it has hours.
func clockTime(kind, form, spec string) (delay time.Duration, err error) {
	units := []struct {
		length time.Duration
		most   int
	}{{time.Hour, 23}, {time.Minute, 59}, {time.Second, 59}}
	parts := strings.Split(spec, ":")
	if units = units[2-strings.Count(form, ":"):]; len(parts) != len(units) {
		return 0, specError(kind, form, spec)
	}
	for i, unit := range units {
		n, ok := twoDigits(parts[i], 0, unit.most)
		if !ok {
			return 0, specError(kind, form, spec)
		}
		delay += time.Duration(n) * unit.length
	}
	return delay, nil
}

// twoDigits reads a number of one or two digits within bounds.
func twoDigits(text string, least, most int) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 8)
	return int(n), err == nil && len(text) <= 2 && int(n) >= least && int(n) <= most
}

func specError(kind, form, spec string) error {
	return failf("", 0, "%s> must be written as %s, not %s", kind, form, quote(spec))
}

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

// slots is a compiled cron expression in a zone.
type slots struct {
	spec cron.SpecSchedule
	zone *time.Location
	// everyHour distinguishes a schedule that runs through the hours from one at fixed hours. The first follows elapsed
	// time: an hour that comes twice has its slots twice, one that is left out has none. The second happens once a day: in
	// the first of two equal hours, and at the end of a gap when its time falls into one (assumed, as cron does).
	everyHour bool
	never     bool // like 30 February
}

func compile(expression string, zone *time.Location) (*slots, error) {
	fields := strings.Fields(expression)
	wrong := func(why string) error {
		return failf("", 0, "cron> must have five fields, minute hour day month weekday, not %s: %s", quote(expression), why)
	}
	if len(fields) != 5 {
		return nil, wrong("it has " + plural(len(fields), "field"))
	}
	for i, f := range fields {
		// The library takes an empty list for no time at all, and a field with TZ= for a time zone.
		if strings.Contains(","+f+",", ",,") || strings.Contains(f, "=") {
			return nil, wrong(quote(f) + " is not a valid field")
		}
		if i == 4 {
			fields[i] = foldSunday(f)
		}
	}
	parser := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)
	parsed, err := parser.Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, wrong(err.Error())
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, wrong("it is not a schedule of five fields")
	}
	s := &slots{spec: *spec, zone: zone, everyHour: strings.HasPrefix(fields[1], "*")}
	s.spec.Location = time.UTC
	s.never = s.wallAfter(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero()
	return s, nil
}

// foldSunday writes the weekday 7, which the library does not know, as 0.
func foldSunday(f string) string {
	items := strings.Split(f, ",")
	for i, item := range items {
		if item == "7" {
			items[i] = "0"
		} else if from, isRange := strings.CutSuffix(item, "-7"); isRange {
			items[i] = from + "-6,0"
		}
	}
	return strings.Join(items, ",")
}

// wallAfter returns the next match strictly after a wall clock time, both labelled UTC; zero when there is none. The
// library looks five years ahead: twice that passes 2100, which has no 29 February.
func (s *slots) wallAfter(wall time.Time) time.Time {
	if next := s.spec.Next(wall); !next.IsZero() {
		return next
	}
	return s.spec.Next(wall.AddDate(5, 0, 0))
}

// period is a stretch of time in which a zone keeps its offset; start and end are zero where it has none.
type period struct {
	start, end time.Time
	offset     time.Duration
}

func periodOf(t time.Time, zone *time.Location) period {
	t = t.In(zone)
	_, seconds := t.Zone()
	start, end := t.ZoneBounds()
	return period{start: start, end: end, offset: time.Duration(seconds) * time.Second}
}

func (p period) wall(t time.Time) time.Time    { return t.UTC().Add(p.offset) }
func (p period) instant(w time.Time) time.Time { return w.Add(-p.offset) }
func (p period) holds(t time.Time) bool        { return p.end.IsZero() || t.Before(p.end) }

// next returns the first slot strictly after t; zero when there is none before the year 10000.
func (s *slots) next(t time.Time) time.Time {
	if s.never || t.Year() > 9999 {
		return time.Time{}
	}
	if t.Year() < 1 {
		t = time.Time{}
	}
	p := periodOf(t, s.zone)
	wall := s.skipRepeated(p, p.wall(t))
	for {
		wall = s.wallAfter(wall)
		if wall.IsZero() || wall.Year() > 9999 {
			return time.Time{}
		}
		at := p.instant(wall)
		if p.holds(at) {
			return at.In(s.zone)
		}
		// Leap over the periods in between: no zone is set by more than two days.
		from := p.end
		if near := at.Add(-48 * time.Hour); near.After(from) {
			from = near
		}
		after := periodOf(from, s.zone)
		if gapEnd := after.wall(from); !s.everyHour && from.Equal(p.end) && wall.Before(gapEnd) {
			return from.In(s.zone)
		}
		p, wall = after, s.skipRepeated(after, after.wall(from).Add(-time.Second))
	}
}

// skipRepeated returns a wall clock time that is not before the time at which the clock was set back into p, for
// schedules whose times must not come twice.
func (s *slots) skipRepeated(p period, wall time.Time) time.Time {
	if s.everyHour || p.start.IsZero() {
		return wall
	}
	before := periodOf(p.start.Add(-1), s.zone)
	if seen := before.wall(p.start).Add(-time.Second); seen.After(wall) {
		return seen
	}
	return wall
}

// last returns the last slot at or before t, zero when there is none for ten years. Cron only looks ahead, so it widens
// a window until a slot is in it and then halves the window.
func (s *slots) last(t time.Time) time.Time {
	holds := func(at time.Time) bool { return !at.IsZero() && !at.After(t) }
	low := time.Time{}
	for back := time.Hour; back < 20*365*24*time.Hour && !holds(low); back *= 2 {
		low = s.next(t.Add(-back))
	}
	if !holds(low) {
		return time.Time{}
	}
	high := t
	for {
		next := s.next(low)
		if !holds(next) {
			return low
		}
		if middle := s.next(low.Add(high.Sub(low) / 2)); holds(middle) {
			low = middle
		} else {
			high = low.Add(high.Sub(low) / 2)
			low = next
		}
	}
}

// loadZone returns a zone by its name or its offset, as +09:00 or UTC+09:00. The machine's own zone is not accepted in
// a workflow.
func loadZone(name string) (*time.Location, error) {
	offset := strings.TrimPrefix(strings.TrimPrefix(name, "UTC"), "GMT")
	for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
		if t, err := time.Parse(layout, offset); err == nil {
			_, seconds := t.Zone()
			return time.FixedZone(name, seconds), nil
		}
	}
	if name == "" || name == "Local" {
		return nil, &Error{Reason: "not a time zone: " + quote(name)}
	}
	return time.LoadLocation(name)
}

// moment returns the time at which a wall clock in the zone shows this time, given labelled UTC: the first moment if it
// does so twice, and as much later as the clock was set on if it never does.
func moment(wall time.Time, zone *time.Location) time.Time {
	p := periodOf(wall.Add(-36*time.Hour), zone)
	for {
		at := p.instant(wall)
		if p.holds(at) {
			return at.In(zone)
		}
		after := periodOf(p.end, zone)
		if after.instant(wall).Before(p.end) {
			return at.In(zone)
		}
		p = after
	}
}

func startOfDay(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.Date()
	return moment(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), zone)
}

func dayAfter(t time.Time) time.Time {
	year, month, day := t.Date()
	return startOfDay(time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC), t.Location())
}

// TruncateSessionTime converts a session time to the zone and cuts it down by mode: second, minute, hour and day cut
// the wall clock time; schedule gives the last slot at or before it, next_schedule the first one after it, and both
// need a schedule; an empty mode only converts.
func TruncateSessionTime(t time.Time, zone *time.Location, mode string, s *Schedule) (time.Time, error) {
	t, err := inZone(t, zone)
	if err != nil {
		return time.Time{}, err
	}
	switch mode {
	case "":
		return t, nil
	case "second":
		return truncate(t, time.Second), nil
	case "minute":
		return truncate(t, time.Minute), nil
	case "hour":
		return truncate(t, time.Hour), nil
	case "day":
		return startOfDay(t, zone), nil
	case "schedule", "next_schedule":
		return bySchedule(t, zone, mode, s)
	}
	return time.Time{}, failf("", 0, "unknown mode %s; want second, minute, hour, day, schedule or next_schedule",
		quote(mode))
}

// inZone refuses years that no answer could be written with, on either side of the conversion.
func inZone(t time.Time, zone *time.Location) (time.Time, error) {
	t = t.In(zone)
	for _, year := range []int{t.Year(), t.UTC().Year()} {
		if year < 1 || year > 9999 {
			return time.Time{}, failf("", 0, "a session time must be in the years 1 to 9999, not %d", year)
		}
	}
	return t, nil
}

// truncate rounds a time down, and keeps its offset if possible: of two hours with the same name, the second stays the
// second.
func truncate(t time.Time, to time.Duration) time.Time {
	_, seconds := t.Zone()
	wall := t.UTC().Add(time.Duration(seconds) * time.Second).Truncate(to)
	same := wall.Add(-time.Duration(seconds) * time.Second).In(t.Location())
	if _, after := same.Zone(); after == seconds {
		return same
	}
	return moment(wall, t.Location())
}

func bySchedule(t time.Time, zone *time.Location, mode string, s *Schedule) (time.Time, error) {
	if s == nil {
		return time.Time{}, failf("", 0, "the mode %s requires a workflow with a schedule", mode)
	}
	slot := s.Next(t)
	if mode == "schedule" {
		slot = s.Last(t)
	}
	if slot.IsZero() {
		return time.Time{}, failf("", 0, "the schedule has no slot at that time: choose a time between its start and its end")
	}
	return slot.Time.In(zone), nil
}

// ParseSessionTime reads ISO 8601 with an offset, or without one as a time in the zone; seconds, their fraction and
// the time of day can be left out, and a space can stand for the T. The result is in the zone.
func ParseSessionTime(text string, zone *time.Location) (time.Time, error) {
	form := strings.Replace(text, " ", "T", 1)
	for _, local := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(local, form); err == nil {
			return inZone(moment(t, zone), zone)
		}
		for _, offset := range []string{"Z07:00", "Z0700", "Z07"} {
			if t, err := time.Parse(local+offset, form); err == nil {
				return inZone(t, zone)
			}
		}
	}
	return time.Time{}, failf("", 0, "a session time must have the form 2006-01-02T15:04:05+09:00, or without the offset "+
		"in the time zone of the workflow, not %s", quote(text))
}
