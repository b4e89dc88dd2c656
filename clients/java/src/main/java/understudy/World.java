package understudy;

import static understudy.Understudy.quote;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The state of one account. Nothing that happens in it is seen in others. */
public final class World {
    private final Understudy mock;
    private final String id;
    private final Map<String, String> keys = new TreeMap<>();

    World(Understudy mock, Map<String, Object> made) {
        this.mock = mock;
        id = (String) made.get("id");
        Json.object(made.getOrDefault("keys", Map.of())).forEach((name, key) -> keys.put(name, (String) key));
    }

    /** Returns the name of the world. */
    public String id() { return id; }

    /** Returns the key of an administrator: a client that has it is in this world, whatever address it uses. */
    public String key() { return key("admin"); }

    /** Returns a key that leads here: {@code admin} or {@code write}. */
    public String key(String name) { return keys.get(name); }

    /** Returns the base address of an interface in this world, such as core; the client needs a key of it, too. */
    public String url(String name) {
        var path = mock.interfaces().get(name);
        if (path == null) {
            throw new UnderstudyException("no interface " + name + " is served: want one of "
                + String.join(", ", mock.interfaces().keySet()), 0, null);
        }
        return mock.url() + "/_worlds/" + id + path;
    }

    /** Makes a world that begins as this one is now, in microseconds. */
    public World fork() { return mock.world(Map.of("fork", id)); }

    /** Takes the world back to what it was when it was made. */
    public void reset() { call("POST", "/reset", null); }

    /** Removes the world. */
    public void delete() { call("DELETE", "", null); }

    /** Remembers state and clock under a name. */
    public void checkpoint(String name) { call("PUT", "/checkpoints/" + quote(name), null); }

    /** Goes back to a checkpoint. */
    public void restore(String name) { call("POST", "/checkpoints/" + quote(name) + "/restore", null); }

    /** Returns everything that the world remembers, as {@link #load} takes it. */
    public Map<String, Object> state() { return call("GET", "/state", null); }

    /** Replaces everything that the world remembers by a fixture: resources by interface and name. */
    public void load(Map<String, ?> fixture) { call("PUT", "/state", fixture); }

    /** Plans what happens to calls from now on: a status, a delay, a broken connection. */
    public Map<String, Object> fault(Map<String, ?> fault) { return call("POST", "/faults", fault); }

    /** Plans answers in place of an operation's. */
    public Map<String, Object> stub(Map<String, ?> stub) { return call("POST", "/stubs", stub); }

    /** Removes what {@link #fault} or {@link #stub} returned. */
    public void remove(Map<String, Object> planned) {
        var name = (String) planned.get("id");
        call("DELETE", (name.startsWith("stub") ? "/stubs/" : "/faults/") + quote(name), null);
    }

    /** Removes all faults. */
    public void clearFaults() { call("DELETE", "/faults", null); }

    /** Removes all stubs. */
    public void clearStubs() { call("DELETE", "/stubs", null); }

    /** Queues the result of a query: {@code query}, {@code columns}, {@code rows}. */
    public Map<String, Object> jobResult(Map<String, ?> result) { return call("POST", "/jobs/results", result); }

    /** Scripts the answer of an agent. */
    public Map<String, Object> chatTurn(Map<String, ?> turn) { return call("POST", "/chats/turns", turn); }

    /** Says how tasks of workflows end. */
    public Map<String, Object> taskOutcome(Map<String, ?> outcome) { return call("POST", "/attempts/outcomes", outcome); }

    /** Returns the time in the world as {@code now}, and when the next event is due. */
    public Map<String, Object> clock() { return call("GET", "/clock", null); }

    /** Moves the clock forward, and settles what becomes due. */
    public Map<String, Object> advance(String duration) { return call("POST", "/clock", Map.of("advance", duration)); }

    /** Moves the clock until nothing is under way. */
    public Map<String, Object> advanceUntilIdle() { return call("POST", "/clock", Map.of("untilIdle", true)); }

    /** Says what moves the clock, {@code real}, {@code frozen} or {@code auto}, and with {@code now} sets it. */
    public Map<String, Object> setClock(Map<String, ?> members) { return call("POST", "/clock", members); }

    /** Returns how often each operation was called, by names such as {@code core.issueJob}. */
    public Map<String, Integer> calls() {
        var counts = new TreeMap<String, Integer>();
        Json.object(call("GET", "/journal/counts", null).get("operations"))
            .forEach((name, count) -> counts.put(name, ((Number) count).intValue()));
        return counts;
    }

    /** Returns how many calls fit a description: {@code operation}, {@code path}, {@code caller}, {@code request} … */
    public int count(Map<String, ?> calls) {
        return ((Number) call("POST", "/journal/counts", calls).get("count")).intValue();
    }

    /**
     * Waits for calls that fit a description, for one of them unless {@code count} says more, at most ten seconds unless
     * {@code timeout} says otherwise. Returns the numbers of their exchanges; throws when the time is over.
     */
    public List<Long> await(Map<String, ?> calls) {
        var body = new LinkedHashMap<String, Object>(Map.of("count", 1, "timeout", "10s"));
        body.putAll(calls);
        return ((List<?>) call("POST", "/journal/wait", body).get("exchanges")).stream().map(Long.class::cast).toList();
    }

    /**
     * Returns the last exchanges, oldest first, as rows of the journal: {@code method}, {@code url}, {@code status},
     * {@code operation} … Filters are those of the journal, such as {@code status}, and its {@code limit}.
     */
    public List<Map<String, Object>> exchanges(Map<String, ?> filters) {
        var query = new LinkedHashMap<String, Object>(Map.of("order", "desc", "limit", 100));
        query.putAll(filters);
        var path = query.entrySet().stream().map(e -> quote(e.getKey()) + "=" + quote(e.getValue()))
            .collect(Collectors.joining("&", "/journal/rows?", ""));
        var rows = new ArrayList<Map<String, Object>>();
        ((List<?>) call("GET", path, null).get("rows")).forEach(row -> rows.add(Json.object(row)));
        Collections.reverse(rows);
        return rows;
    }

    /** Returns one exchange in full, without secrets. */
    public Map<String, Object> exchange(long seq) { return call("GET", "/journal/" + seq, null); }

    /** Returns the last ten exchanges as text for people, the last of them with its bodies. */
    public String describe() {
        var rows = exchanges(Map.of("limit", 10));
        if (rows.isEmpty()) {
            return "no request has come";
        }
        var lines = new ArrayList<>(rows.stream().map(World::line).toList());
        var last = exchange(((Number) rows.get(rows.size() - 1).get("seq")).longValue());
        for (var name : List.of("request", "response")) {
            if (last.get(name) instanceof Map<?, ?> message && message.get("body") instanceof Map<?, ?> body
                && body.get("text") instanceof String text && !text.isEmpty()) {
                lines.add("    " + name + ": " + text.substring(0, Math.min(1000, text.length())));
            }
        }
        return String.join("\n", lines);
    }

    private static String line(Map<String, Object> row) {
        var address = ((String) row.get("url")).replaceFirst("^[a-z]+://[^/?]*", "");
        var status = ((Number) row.getOrDefault("status", 0)).intValue();
        return String.format("%4d  %s %s → %s", row.get("seq"), row.get("method"), address,
                status == 0 ? "no answer" : status)
            + (row.get("operation") == null ? "" : " " + row.get("operation"))
            + (row.get("fault") == null ? "" : " [fault: " + row.get("fault") + "]")
            + (row.get("notes") == null ? "" : " " + row.get("notes"));
    }

    private Map<String, Object> call(String method, String path, Object body) {
        return mock.call(method, "/worlds/" + id + path, body);
    }
}
