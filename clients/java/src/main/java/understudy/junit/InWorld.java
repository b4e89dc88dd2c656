package understudy.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class, or one test, a world each, as a parameter of the type {@code World}, and says what it is made of.
 * A parameter of the type {@code Understudy} is the mock.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(UnderstudyExtension.class)
public @interface InWorld {
    /** The scenario; the one that the mock was started with if empty. */
    String value() default "";

    /** The seed from which ids are made; that of the mock if negative. */
    long seed() default -1;

    /** What moves the clock: {@code real}, {@code frozen} or {@code auto}; as in the mock if empty. */
    String clock() default "";

    /** The time at which the world begins, such as 2030-01-01T00:00:00Z. */
    String now() default "";
}
