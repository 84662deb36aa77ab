<?php
// Plays legal[0] by PHP's forks where it has them, pipes, sockets and locks.

function check(bool $held, string $what): void
{
    if (!$held) {
        fwrite(STDERR, "$what failed\n");
        exit(3);
    }
}

if (function_exists('pcntl_fork')) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        function_exists('posix_setsid') && posix_setsid();
        exit(7);
    }
    pcntl_waitpid($pid, $status);
    check(pcntl_wexitstatus($status) === 7, 'pcntl_fork');
}
$lock = fopen('/tmp/lock', 'w');
check(flock($lock, LOCK_EX), 'flock');
check(trim(shell_exec('echo 7')) === '7', 'shell_exec');
[$one, $other] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
fwrite($one, "word\n");
check(fgets($other) === "word\n", 'stream_socket_pair');
$server = stream_socket_server('tcp://127.0.0.1:0');
check((bool) stream_socket_client('tcp://' . stream_socket_get_name($server, false)), 'a socket');
$engine = proc_open(['cat'], [['pipe', 'r'], ['pipe', 'w']], $pipes);

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line);
    if ($message->type === 'hello') {
        echo json_encode(['type' => 'ready', 'name' => 'forks']), "\n";
    } elseif ($message->type === 'request') {
        fwrite($pipes[0], $message->legal[0] . "\n");
        echo json_encode(['type' => 'reply', 'id' => $message->id, 'action' => trim(fgets($pipes[1]))]), "\n";
    }
}
