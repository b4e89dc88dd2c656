import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportsTest {
    private static Mock mock;

    private Mock.World world;
    private Reports reports;

    @BeforeAll
    static void start() throws Exception {
        mock = new Mock();
    }

    @AfterAll
    static void stop() throws Exception {
        mock.close();
    }

    @BeforeEach
    void makeWorld() throws Exception {
        world = mock.world();
        reports = new Reports(world.core(), world.key());
    }

    @Test
    void issuesAQueryOnce() throws Exception {
        assertTrue(reports.issue("SELECT 1", 3).matches("\\d+"));
        assertEquals("{\"core.issueJob\":1}", world.calls());
    }

    @Test
    void sendsAQueryThatGot503Again() throws Exception {
        world.fault("{\"operation\":\"core.issueJob\",\"first\":1,\"status\":503,\"retryAfter\":\"1s\"}");
        assertTrue(reports.issue("SELECT 1", 3).matches("\\d+"));
        assertEquals("{\"core.issueJob\":2}", world.calls());
    }

    @Test
    void givesUp() throws Exception {
        world.fault("{\"operation\":\"core.issueJob\",\"status\":503,\"headers\":{\"Retry-After\":\"0\"}}");
        assertThrows(IOException.class, () -> reports.issue("SELECT 1", 3));
        assertEquals("{\"core.issueJob\":3}", world.calls());
    }
}
