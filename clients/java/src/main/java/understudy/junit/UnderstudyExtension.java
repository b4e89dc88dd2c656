package understudy.junit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;
import understudy.Understudy;
import understudy.UnderstudyException;
import understudy.World;

/**
 * An extension of JUnit 5: one mock for all tests, and a world for each that has a parameter of that type. {@link InWorld}
 * registers it. The mock is the one at UNDERSTUDY_URL if that is set, as below {@code understudy serve -- mvn test}, and else one
 * that is started with the flags of JUnit's configuration parameter {@code understudy.flags}. What a failed test throws has the
 * last exchanges of its world as a suppressed exception.
 */
public final class UnderstudyExtension implements ParameterResolver, TestExecutionExceptionHandler {
    private static final Namespace NAMESPACE = Namespace.create(UnderstudyExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        var type = parameter.getParameter().getType();
        return type == Understudy.class || type == World.class && context.getTestMethod().isPresent();
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Understudy.class ? mock(context)
            : context.getStore(NAMESPACE).getOrComputeIfAbsent(context.getUniqueId(),
                id -> new WorldOfTest(mock(context).world(members(context))), WorldOfTest.class).world;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable thrown) throws Throwable {
        var made = context.getStore(NAMESPACE).get(context.getUniqueId(), WorldOfTest.class);
        if (made != null) {
            try {
                var seen = new RuntimeException("exchanges in the world " + made.world.id() + ":\n" + made.world.describe());
                seen.setStackTrace(new StackTraceElement[0]); // where it was made is of no interest
                thrown.addSuppressed(seen);
            } catch (UnderstudyException e) {
                thrown.addSuppressed(e);
            }
        }
        throw thrown;
    }

    private static Map<String, Object> members(ExtensionContext context) {
        var members = new HashMap<String, Object>();
        AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), InWorld.class)
            .or(() -> AnnotationSupport.findAnnotation(context.getRequiredTestClass(), InWorld.class))
            .map(said -> Map.of("scenario", said.value(), "clock", said.clock(), "now", said.now(), "seed", said.seed()))
            .ifPresent(members::putAll);
        members.values().removeAll(List.of("", -1L)); // what the annotation leaves out
        return members;
    }

    private static Understudy mock(ExtensionContext context) {
        return context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(Mock.class,
            key -> new Mock(System.getenv("UNDERSTUDY_URL") != null ? Understudy.connect()
                : Understudy.start(context.getConfigurationParameter("understudy.flags").filter(flags -> !flags.isBlank())
                    .map(flags -> flags.strip().split("\\s+")).orElse(new String[0]))), Mock.class).mock;
    }

    /** The mock, which JUnit closes when all tests have run. */
    private record Mock(Understudy mock) implements CloseableResource {
        @Override
        public void close() {
            mock.close();
        }
    }

    /** The world of a test, which JUnit closes when the test is over. */
    private record WorldOfTest(World world) implements CloseableResource {
        @Override
        public void close() {
            try {
                world.delete();
            } catch (UnderstudyException e) {
                if (e.status() != 404) { // the test has deleted it
                    throw e;
                }
            }
        }
    }
}
