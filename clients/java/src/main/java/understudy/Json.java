package understudy;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads the JSON that the mock writes, and writes JSON, which the JDK does not. Objects are maps in the order of their members,
 * arrays lists, whole numbers Long where they fit, others BigDecimal.
 */
final class Json {
    // The mock puts its commas and colons where they belong.
    private static final Pattern TOKEN = Pattern.compile("[{}\\[\\]]|\"(?:[^\"\\\\]|\\\\.)*+\"|[^\\s,:{}\\[\\]\"]+");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(.{4})|(.))");

    /** Returns the value that a text begins with. Throws IllegalArgumentException if there is none. */
    static Object parse(String text) {
        var tokens = TOKEN.matcher(text);
        return value(next(tokens), tokens);
    }

    @SuppressWarnings("unchecked") // parse makes maps of nothing else
    static Map<String, Object> object(Object value) {
        if (value instanceof Map<?, ?>) {
            return (Map<String, Object>) value;
        }
        throw new IllegalArgumentException("want an object, not " + value);
    }

    private static String next(Matcher tokens) {
        if (!tokens.find()) {
            throw new IllegalArgumentException("no JSON: it ends too early");
        }
        return tokens.group();
    }

    private static Object value(String token, Matcher tokens) {
        if (token.equals("{")) {
            var object = new LinkedHashMap<String, Object>();
            for (var name = next(tokens); !name.equals("}"); name = next(tokens)) {
                object.put(String.valueOf(value(name, tokens)), value(next(tokens), tokens));
            }
            return object;
        } else if (token.equals("[")) {
            var list = new ArrayList<Object>();
            for (var item = next(tokens); !item.equals("]"); item = next(tokens)) {
                list.add(value(item, tokens));
            }
            return list;
        } else if (token.startsWith("\"")) {
            return ESCAPE.matcher(token.substring(1, token.length() - 1))
                .replaceAll(escape -> Matcher.quoteReplacement(unescaped(escape.group(1), escape.group(2))));
        }
        return switch (token) {
            case "true", "false" -> Boolean.valueOf(token);
            case "null" -> null;
            default -> token.matches("-?\\d{1,18}") ? (Object) Long.valueOf(token) : new BigDecimal(token);
        };
    }

    private static String unescaped(String unicode, String other) {
        return unicode != null ? Character.toString(Integer.parseInt(unicode, 16))
            : "bfnrt".contains(other) ? ("\\" + other).translateEscapes() : other;
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
