package understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import understudy.junit.InWorld;

@InWorld("quickstart")
class UnderstudyTest {
    static String send(String method, String url, String key, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url)).header("Authorization", "SVC1 " + key)
            .header("Content-Type", "application/json").method(method, BodyPublishers.ofString(body)).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    static String pools(World world) throws Exception {
        return send("GET", world.url("workflow") + "/api/pools", world.key(), "");
    }

    private static void makePool(World world) throws Exception {
        send("POST", world.url("workflow") + "/api/pools", world.key(), "{\"name\":\"mine\",\"concurrencyLimit\":2}");
    }

    private static void assertMine(boolean want, World world) throws Exception {
        assertEquals(want, pools(world).contains("\"mine\""));
    }

    @Test
    void worldsDoNotSeeEachOther(Understudy mock, World world) throws Exception {
        var other = mock.world("quickstart");
        makePool(world);
        assertMine(true, world);
        assertMine(false, other);
        var fork = world.fork();
        assertMine(true, fork);
        world.reset();
        assertMine(false, world);
        fork.delete();
        var refused = assertThrows(UnderstudyException.class, fork::reset);
        assertEquals(404, refused.status());
        assertTrue(refused.getMessage().contains("not found"), refused.getMessage());
    }

    @Test
    void aKeyLeadsToItsWorld(Understudy mock, World world) throws Exception {
        makePool(world);
        var shared = mock.url() + mock.interfaces().get("workflow") + "/api/pools";
        assertTrue(send("GET", shared, world.key(), "").contains("\"mine\""));
        assertNotEquals(world.key(), world.key("write"));
    }

    @Test
    void checkpointsAndStates(World world) throws Exception {
        world.checkpoint("before");
        makePool(world);
        var state = world.state();
        world.restore("before");
        assertMine(false, world);
        world.load(state);
        assertMine(true, world);
    }

    @Test
    void faultsAndStubs(World world) throws Exception {
        var list = "workflow.listPools";
        var fault = world.fault(Map.of("operation", list, "status", 503));
        assertFalse(pools(world).contains("\"pools\""));
        world.remove(fault);
        var body = Map.of("pools", List.of(Map.of("name", "stubbed \"ü\" \\ \n 日")));
        var stub = world.stub(Map.of("operation", list, "status", 200, "body", body));
        assertEquals(Json.object(Json.parse(pools(world))), body);
        world.remove(stub);
        assertFalse(pools(world).contains("stubbed"));
        assertEquals(Map.of(list, 3), world.calls());
        assertEquals(3, world.count(Map.of("operation", list)));
        world.fault(Map.of("operation", list, "status", 503));
        world.stub(Map.of("operation", list, "status", 200, "body", body));
        world.clearFaults();
        world.clearStubs();
        assertTrue(pools(world).contains("\"pools\""));
        assertFalse(pools(world).contains("stubbed"));
    }

    @Test
    void aMistakeSaysWhatWouldBeRight(World world) {
        var refused = assertThrows(UnderstudyException.class, () -> world.fault(Map.of("operation", "core.isueJob", "status", 503)));
        assertTrue(refused.getMessage().matches("(?s).*: 400: .*core.isueJob.*core.issueJob.*"), refused.getMessage());
        refused = assertThrows(UnderstudyException.class, () -> world.url("cores"));
        assertTrue(refused.getMessage().contains("want one of audience, core"), refused.getMessage());
        assertThrows(IllegalArgumentException.class, () -> world.fault(Map.of("status", Double.NaN)));
    }

    @Test
    @InWorld(value = "empty", clock = "frozen", now = "2030-01-01T00:00:00Z", seed = 7)
    void theClock(World world) {
        assertEquals("frozen", world.clock().get("mode"));
        assertEquals("2030-01-01T00:00:00Z", world.clock().get("now"));
        world.advance("1h");
        assertEquals("2030-01-01T01:00:00Z", world.clock().get("now"));
        assertEquals(true, world.advanceUntilIdle().get("idle"));
        assertEquals("auto", world.setClock(Map.of("mode", "auto")).get("mode"));
    }

    @Test
    @InWorld(value = "quickstart", clock = "frozen")
    void queuedResults(World world) throws Exception {
        world.jobResult(Map.of("query", "select 1 as one", "columns", List.of(List.of("one", "bigint")), "rows", List.of(List.of(7))));
        var issued = send("POST", world.url("core") + "/job/issue/trino/shop", world.key(), "{\"query\":\"select 1 as one\"}");
        world.advanceUntilIdle();
        var result = world.url("core") + "/job/result/" + Json.object(Json.parse(issued)).get("job_id") + "?format=json";
        assertEquals("[7]", send("GET", result, world.key(), "").strip());
        world.taskOutcome(Map.of("task", "+load", "error", "locked", "times", 1));
        world.chatTurn(Map.of("status", 429, "message", "too many requests", "times", 1));
    }

    @Test
    void waitingAndTheJournal(Understudy mock, World world) throws Exception {
        pools(world);
        var listPools = Map.of("operation", "workflow.listPools");
        assertEquals(List.of(1L), world.await(listPools));
        var more = new HashMap<String, Object>(Map.of("count", 2, "timeout", "10ms"));
        more.putAll(listPools);
        var refused = assertThrows(UnderstudyException.class, () -> world.await(more));
        assertTrue(refused.getMessage().contains("saw 1 of 2 calls"), refused.getMessage());
        assertEquals(List.of(), world.exchanges(Map.of("status", "4xx")));
        assertTrue(world.describe().matches("(?s)   1  GET /\\S*/api/pools → 200 workflow.listPools\n +response: \\{.*"),
            world.describe());
        assertEquals("no request has come", mock.world(Map.of()).describe());
    }

    @Test
    void aMockThatIsThere(Understudy mock) {
        assertEquals(mock.interfaces(), Understudy.at(mock.url() + "/").interfaces());
    }

    @Test
    void aMockOverTLS() {
        try (var mock = Understudy.start("--tls")) {
            assertTrue(mock.url().startsWith("https:"), mock.url());
            assertEquals(Map.of(), mock.world("quickstart").calls());
        }
    }

    @Test
    void aProgramThatFailsLeavesNoMockBehind() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classes = Path.of(Failing.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        var program = new ProcessBuilder(java, "-cp", classes, Failing.class.getName()).start();
        var url = program.inputReader().readLine();
        assertEquals(1, program.waitFor());
        var refused = assertThrows(UnderstudyException.class, () -> Understudy.at(url));
        assertTrue(refused.getMessage().contains("no mock answers"), refused.getMessage());
    }

    static final class Failing {
        public static void main(String[] args) {
            System.out.println(Understudy.start().url());
            throw new IllegalStateException();
        }
    }

    @Test
    void aMockThatDoesNotStart() {
        for (var start : Map.<String, Runnable>of(
            "--nonsense", () -> Understudy.start("--nonsense"),
            "UNDERSTUDY_BINARY", () -> Understudy.start(Path.of("nothing")),
            "no mock answers", () -> Understudy.at("http://127.0.0.1:1")).entrySet()) {
            var refused = assertThrows(UnderstudyException.class, start.getValue()::run);
            assertTrue(refused.getMessage().contains(start.getKey()), refused.getMessage());
        }
    }

    @Test
    void json() {
        var text = "{\"a\":[1,-2,0.1e3,123456789012345678901,true,false,null,[],{}],\"b\":\"\\u00fc\\/\\b\\f\\n\\r\\t\\\"\\\\\"}";
        var value = Json.object(Json.parse(text));
        assertEquals("ü/\b\f\n\r\t\"\\", value.get("b"));
        assertEquals(Arrays.asList(1L, -2L), ((List<?>) value.get("a")).subList(0, 2));
        assertEquals(value, Json.parse(Json.write(value)));
        var large = "\"n".repeat(1 << 20);
        assertEquals(large, Json.parse(Json.write(large)));
        assertEquals("\ud83d\ude00\\u00fc$1", Json.parse("\"\\ud83d\\ude00\\\\u00fc$1\""));
        for (var bad : List.of("", "{", "[1", "nonsense", "{\"a\"")) {
            assertThrows(RuntimeException.class, () -> Json.parse(bad), bad);
        }
    }
}
