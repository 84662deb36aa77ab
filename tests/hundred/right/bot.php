<?php
function say($message) {
    fwrite(STDOUT, json_encode($message) . "\n");
}

function choose($request) {
    return $request['legal'][0];
}

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true);
    if ($message['type'] === 'hello') {
        say(['type' => 'ready', 'name' => 'mybot']);
    } elseif ($message['type'] === 'request') {
        $action = choose($message);
        say(['type' => 'reply', 'id' => $message['id'], 'action' => $action]);
    }
}
