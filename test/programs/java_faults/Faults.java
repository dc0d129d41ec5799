// SPDX-License-Identifier: Apache-2.0
// Java's own faults beside those of kernels. Compiled Java code has no checks for null: it takes the
// processor's fault, which the virtual machine's handler makes an exception of.
import java.util.concurrent.atomic.AtomicBoolean;

final class Faults {
  static native void open();
  static native int runHealthy(int seed);  // how many results are wrong
  static native int runFaulty(int how);    // the event's status
  static native void writeToNull();        // a fault of the host's own native code

  static final int KERNEL_FAULT = -7201;   // CL_ERROR_KERNEL_FAULT_CONCLAVE

  static final class Node {
    int value;
  }

  static int valueOf(Node node) {
    return node.value;
  }

  static int depth(int n) {
    return 1 + depth(n + 1);
  }

  static void check(boolean right, String what) {
    if (!right) throw new AssertionError(what);
  }

  static void nullPointers(int count) {
    int caught = 0;
    for (int i = 0; i < count; ++i) {
      try {
        valueOf(null);
      } catch (NullPointerException expected) {
        ++caught;
      }
    }
    check(caught == count, "NullPointerExceptions: " + caught);
  }

  static void stackOverflow() {
    try {
      depth(0);
    } catch (StackOverflowError expected) {
      return;
    }
    throw new AssertionError("no StackOverflowError");
  }

  static void kernels(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      check(runHealthy(i) == 0, "a healthy kernel's results");
      final int status = runFaulty(i % 3);
      check(status == KERNEL_FAULT, "a faulty kernel's status is " + status);
    }
  }

  static void warmUp() {
    final Node node = new Node();
    int sum = 0;
    for (int i = 0; i < 300_000; ++i) {
      node.value = i % 7;
      sum += valueOf(node);
    }
    check(sum > 0, "the sum");
  }

  public static void main(String[] arguments) throws InterruptedException {
    System.load(arguments[0]);
    warmUp();
    nullPointers(100);
    stackOverflow();
    open();
    kernels(3);
    nullPointers(100);
    stackOverflow();

    // At the same time, on other threads.
    final AtomicBoolean failed = new AtomicBoolean();
    final Runnable[] parts = {() -> kernels(100), () -> nullPointers(20_000), () -> kernels(100), () -> {
      for (int i = 0; i < 20; ++i) stackOverflow();
    }};
    final Thread[] threads = new Thread[parts.length];
    for (int i = 0; i < parts.length; ++i) {
      threads[i] = new Thread(parts[i]);
      threads[i].setUncaughtExceptionHandler((thread, error) -> {
        error.printStackTrace();
        failed.set(true);
      });
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
    check(!failed.get(), "one of the threads");
    kernels(3);
    System.out.println("PASSED");
    if (arguments.length > 1) writeToNull();
  }
}
