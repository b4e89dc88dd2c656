package understudy;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads the JSON that the mock writes, and writes JSON, which the JDK does not. Objects are maps in the order of their members,
 * arrays lists, whole numbers Long where they fit, others BigDecimal.
 */
final class Json {
    private static final String SPACE = " \t\r\n,:"; // the mock puts its commas and colons where they belong

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Returns the value that a text begins with. Throws IllegalArgumentException if there is none. */
    static Object parse(String text) {
        return new Json(text).value();
    }

    @SuppressWarnings("unchecked") // parse makes maps of nothing else
    static Map<String, Object> object(Object value) {
        if (value instanceof Map<?, ?>) {
            return (Map<String, Object>) value;
        }
        throw new IllegalArgumentException("want an object, not " + value);
    }

    private Object value() {
        var begin = next();
        if (begin == '{') {
            var object = new LinkedHashMap<String, Object>();
            while (next() != '}') {
                at--;
                object.put(String.valueOf(value()), value());
            }
            return object;
        } else if (begin == '[') {
            var list = new ArrayList<Object>();
            while (next() != ']') {
                at--;
                list.add(value());
            }
            return list;
        }
        return begin == '"' ? string() : scalar();
    }

    /** Skips what stands between values, and returns the character after it. */
    private char next() {
        while (at < text.length() && SPACE.indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (at >= text.length()) {
            throw new IllegalArgumentException("no JSON: " + text);
        }
        return text.charAt(at++);
    }

    private String string() {
        var out = new StringBuilder();
        for (; at < text.length() && text.charAt(at) != '"'; at++) {
            var escape = text.charAt(at) == '\\' ? text.charAt(++at) : 0;
            if (escape == 'u') {
                out.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                var control = "bfnrt".indexOf(escape);
                out.append(control < 0 ? text.charAt(at) : "\b\f\n\r\t".charAt(control));
            }
        }
        at++;
        return out.toString();
    }

    private Object scalar() {
        var start = at - 1;
        while (at < text.length() && (SPACE + "]}").indexOf(text.charAt(at)) < 0) {
            at++;
        }
        var word = text.substring(start, at);
        return switch (word) {
            case "true", "false" -> Boolean.valueOf(word);
            case "null" -> null;
            default -> word.matches("-?\\d{1,18}") ? (Object) Long.valueOf(word) : new BigDecimal(word);
        };
    }

    /** Returns the text of a value. Throws IllegalArgumentException if it is none of JSON's. */
    static String write(Object value) {
        if (value instanceof CharSequence text) {
            return text.chars().mapToObj(c -> c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", c) : "" + (char) c)
                .collect(Collectors.joining("", "\"", "\""));
        } else if (value instanceof Map<?, ?> object) {
            return object.entrySet().stream().map(e -> write(String.valueOf(e.getKey())) + ":" + write(e.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
        } else if (value instanceof Collection<?> list) {
            return list.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
        } else if (value == null || value instanceof Boolean || value instanceof Number n && Double.isFinite(n.doubleValue())) {
            return String.valueOf(value);
        }
        throw new IllegalArgumentException(value + ": want maps, lists, texts, numbers, booleans and null");
    }
}
