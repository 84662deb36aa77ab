import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.Pipe;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/** Plays legal[0] by Java's pools, at the default settings of its collector and compiler, and by processes. */
public final class Pools {
    private static final class Sum extends RecursiveTask<Integer> {
        private final int from, to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            if (to - from < 100) return IntStream.range(from, to).sum();
            Sum lower = new Sum(from, (from + to) / 2), upper = new Sum((from + to) / 2, to);
            lower.fork();
            return upper.compute() + lower.join();
        }
    }

    private static void check(boolean held, String what) {
        if (!held) throw new IllegalStateException(what);
    }

    private static String run(String... command) throws Exception {
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(child.getInputStream().readAllBytes()).strip();
        check(child.waitFor() == 0, command[0]);
        return out;
    }

    private static void prepare(ScheduledExecutorService clock) throws Exception {
        check(new ForkJoinPool(4).invoke(new Sum(0, 10_000)) == 49_995_000, "ForkJoinPool");
        check(IntStream.range(0, 10_000).parallel().sum() == 49_995_000, "a parallel stream");
        CompletableFuture<Integer> seven = CompletableFuture.supplyAsync(() -> 3).thenCombineAsync(
            CompletableFuture.supplyAsync(() -> 4), Integer::sum);
        check(seven.get(5, TimeUnit.SECONDS) == 7, "CompletableFuture");
        CountDownLatch rung = new CountDownLatch(3);
        clock.scheduleAtFixedRate(rung::countDown, 1, 5, TimeUnit.MILLISECONDS); // and goes on while it plays
        check(rung.await(5, TimeUnit.SECONDS), "a scheduled executor");
        ReentrantLock lock = new ReentrantLock();
        int[] total = {0};
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                lock.lock();
                try { total[0]++; } finally { lock.unlock(); }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        check(total[0] == threads.length, "a lock");
        check(run("echo", "7").equals("7"), "ProcessBuilder");
        try (FileChannel file = FileChannel.open(Path.of("/tmp/lock"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE); FileLock held = file.lock()) {
            check(held.isValid(), "FileLock");
        }
        Pipe pipe = Pipe.open();
        pipe.sink().write(ByteBuffer.wrap(new byte[] {7}));
        check(pipe.source().read(ByteBuffer.allocate(1)) == 1, "Pipe");
        for (int i = 0; i < 200; i++) check(new byte[1 << 20].length > 0, "garbage");
        System.gc();
    }

    public static void main(String[] arguments) throws Exception {
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
        prepare(clock);
        ExecutorService pool = Executors.newCachedThreadPool();
        BlockingQueue<String> chosen = new LinkedBlockingQueue<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.contains("\"type\":\"hello\"")) {
                System.out.println("{\"type\":\"ready\",\"name\":\"pools\"}");
            } else if (line.contains("\"type\":\"request\"")) {
                String id = line.split("\"id\":")[1].split(",")[0];
                String legal = line.split("\"legal\":\\[\"")[1];
                pool.submit(() -> {
                    chosen.put(legal.split("\"")[0]);
                    return null;
                });
                check(List.of(1, 2, 3).parallelStream().mapToInt(n -> n).sum() == 6, "a parallel stream");
                System.out.println("{\"type\":\"reply\",\"id\":" + id + ",\"action\":\"" + chosen.take() + "\"}");
            }
        }
        clock.shutdownNow();
        pool.shutdownNow();
    }
}
