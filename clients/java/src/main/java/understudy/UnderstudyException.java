package understudy;

/** The mock refused a call, or did not start, or does not answer. */
public class UnderstudyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    UnderstudyException(String message, int status, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** Returns the status of the answer, or 0 if there was none. */
    public int status() { return status; }
}
