package traffic

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What differs from one exchange to another stands in angle brackets in the text of a life. Each has a fixed width, so
// that the lengths of bodies are the same in each exchange that is made of it.
//
//	<a>          the account, 7 digits
//	<s>          the number of the life, 10 digits
//	<id1>        a number of the life's own, 10 digits; <id2> is another one
//	<uuid1>      a UUID of the life's own
//	<time>       when the life began, as 2006-01-02T15:04:05; <date> has a space in place of the T
//	<unix>       the same in seconds; <time-60s> is a minute before, and likewise <date+60s> and <unix-60s>
var placeholder = regexp.MustCompile(`<(a|s|id|uuid|time|date|unix)(\d*)(?:([+-]\d+)s)?>`)

// What ids begin with, so that they have the same width for as long as there are lives.
const (
	firstAccount = 2_000_000
	maxAccounts  = 147_000
	firstLife    = 1_000_000_000
	firstID      = 1_000_000_000
	idsOfLife    = 50
	maxLives     = 20_000_000
)

const (
	precise  = "2006-01-02T15:04:05.000000Z"
	httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"
	took     = 432 // microseconds of each duration, beside its milliseconds
)

// mark is a text that stands for a variable while a template is made. It has the width of the variable's values, and
// is found nowhere else.
type mark struct {
	text  string
	value variable
}

// Times and the number of an exchange while a template is made.
const (
	markSeq  = 7_654_321_234
	markTook = 765*time.Millisecond + took*time.Microsecond
)

// markStart is later than whatever is generated.
func markStart() time.Time { return time.Date(2270, 3, 4, 5, 6, 7, 111_111_000, time.UTC) }

// frame returns the marks that each exchange has.
func frame() []mark {
	at := markStart()
	return []mark{
		{strconv.Itoa(markSeq), func(b []byte, x *instance) []byte { return strconv.AppendInt(b, int64(x.seq), 10) }},
		{at.Format(precise), func(b []byte, x *instance) []byte { return x.start.AppendFormat(b, precise) }},
		{at.Add(markTook).Format(precise), func(b []byte, x *instance) []byte {
			return x.start.Add(time.Duration(x.took)*time.Millisecond+took*time.Microsecond).AppendFormat(b, precise)
		}},
		{fmt.Sprintf("765.%d", took), func(b []byte, x *instance) []byte {
			return append(strconv.AppendInt(b, int64(x.took), 10), fmt.Sprintf(".%d", took)...)
		}},
		{at.Format(httpDate), func(b []byte, x *instance) []byte { return x.start.AppendFormat(b, httpDate) }},
	}
}

// marked replaces the placeholders of a text by marks.
func marked(text string, marks *[]mark) (string, error) {
	var problem error
	text = placeholder.ReplaceAllStringFunc(text, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		n, _ := strconv.Atoi(m[2])
		shift, _ := strconv.Atoi(m[3])
		if n >= idsOfLife {
			problem = fmt.Errorf("%s: want a number below %d", found, idsOfLife)
		}
		made := markOf(m[1], n, shift)
		*marks = append(*marks, made)
		return made.text
	})
	if i := strings.IndexByte(text, '<'); i >= 0 && problem == nil && strings.Contains(text[i:], ">") {
		problem = fmt.Errorf("%.20s: unknown placeholder", text[i:])
	}
	return text, problem
}

func markOf(kind string, n, shift int) mark {
	at := markStart().Truncate(time.Second).Add(time.Duration(shift) * time.Second)
	switch kind {
	case "a":
		return mark{"7654320", func(b []byte, x *instance) []byte {
			return strconv.AppendInt(b, int64(firstAccount+x.account), 10)
		}}
	case "s":
		return mark{"9753108642", func(b []byte, x *instance) []byte {
			return strconv.AppendInt(b, int64(firstLife+x.life), 10)
		}}
	case "id":
		return mark{strconv.Itoa(1_987_654_300 + n), func(b []byte, x *instance) []byte {
			return strconv.AppendInt(b, int64(firstID+x.life*idsOfLife+n), 10)
		}}
	case "uuid":
		return mark{fmt.Sprintf("feedface-0000-4000-8000-%012d", n), func(b []byte, x *instance) []byte {
			return appendUUID(b, uint64(x.life), uint64(n))
		}}
	case "time":
		return timeMark(at, "2006-01-02T15:04:05", shift)
	case "date":
		return timeMark(at, time.DateTime, shift)
	}
	return mark{strconv.FormatInt(at.Unix(), 10), func(b []byte, x *instance) []byte {
		return strconv.AppendInt(b, x.born.Unix()+int64(shift), 10)
	}}
}

func timeMark(at time.Time, layout string, shift int) mark {
	return mark{at.Format(layout), func(b []byte, x *instance) []byte {
		return x.born.Add(time.Duration(shift)*time.Second).AppendFormat(b, layout)
	}}
}

// appendUUID adds a UUID of version 4 that no other life has.
func appendUUID(b []byte, life, n uint64) []byte {
	const digits = "0123456789abcdef"
	high, low := scramble(life, n), life*idsOfLife+n
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b = append(b, '-')
		}
		switch {
		case i == 12:
			b = append(b, '4')
		case i == 16:
			b = append(b, '8')
		case i < 16:
			b = append(b, digits[high>>(4*i)&15])
		default:
			b = append(b, digits[low>>(4*(31-i))&15])
		}
	}
	return b
}

// scramble returns a number that looks like chance, the same for the same numbers (SplitMix64).
func scramble(numbers ...uint64) (h uint64) {
	for _, n := range numbers {
		h += n + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
