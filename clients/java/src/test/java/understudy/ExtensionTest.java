package understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import understudy.junit.InWorld;

/** Runs tests that use the extension, in a JUnit of their own. */
class ExtensionTest {
    /** The extension starts a mock: there is none. */
    private static final boolean STARTED = System.getenv("UNDERSTUDY_URL") == null;

    private static Understudy mock;
    private static final Map<String, World> WORLDS = new TreeMap<>();

    @InWorld(value = "quickstart", clock = "frozen")
    static class Sample {
        @BeforeEach
        void prepare(World world) {
            world.checkpoint("prepared");
        }

        @Test
        void passes(Understudy understudy, World world) {
            mock = understudy;
            WORLDS.put("passes", world);
            assertEquals("frozen", world.clock().get("mode"));
            if (STARTED) {
                assertEquals(List.of("workflow"), List.copyOf(understudy.interfaces().keySet()));
            }
            world.restore("prepared");
        }

        @Test
        void deletesItsWorld(World world) {
            WORLDS.put("deletesItsWorld", world);
            world.delete();
        }

        @Test
        void fails(World world) throws Exception {
            WORLDS.put("fails", world);
            UnderstudyTest.pools(world);
            fail("of its own accord");
        }
    }

    @Test
    void eachTestHasAWorldAndOneThatFailsShowsItsExchanges() {
        var thrown = new HashMap<String, Throwable>();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Sample.class))
            .configurationParameter("understudy.flags", " --interfaces workflow  --clock real").build(), new TestExecutionListener() {
                @Override
                public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                    result.getThrowable().ifPresent(e -> thrown.put(test.getDisplayName(), e));
                }
            });
        assertEquals(3, WORLDS.size());
        assertNotEquals(WORLDS.get("passes").id(), WORLDS.get("fails").id());
        assertEquals(List.of("fails(World)"), List.copyOf(thrown.keySet()), thrown.toString());
        var said = thrown.get("fails(World)").getSuppressed()[0].toString();
        assertTrue(said.matches("(?s).*exchanges in the world w\\S+:\n   1  GET /\\S*/api/pools → 200 workflow.listPools\n.*"), said);
        if (STARTED) { // it ended with the tests
            var refused = assertThrows(UnderstudyException.class, () -> Understudy.at(mock.url()));
            assertTrue(refused.getMessage().contains("no mock answers"), refused.getMessage());
        }
    }
}
