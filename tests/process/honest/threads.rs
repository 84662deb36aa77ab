//! Plays legal[0] by the threads, channels, locks, sockets and commands of Rust's standard library.
use std::io::{self, BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{mpsc, Arc, Barrier, Condvar, Mutex, RwLock};
use std::thread;
use std::time::Duration;

fn prepare() -> io::Result<()> {
    let (total, barrier) = (Arc::new((Mutex::new(0), Condvar::new())), Arc::new(Barrier::new(8)));
    for _ in 0..8 {
        let (total, barrier) = (total.clone(), barrier.clone());
        thread::spawn(move || {
            barrier.wait();
            *total.0.lock().unwrap() += 1;
            total.1.notify_all();
        });
    }
    let all = total.1.wait_timeout_while(total.0.lock().unwrap(), Duration::from_secs(5), |n| *n < 8);
    assert!(!all.unwrap().1.timed_out());
    let book = RwLock::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| *book.write().unwrap() += 1);
        }
    });
    assert_eq!(*book.read().unwrap(), 4);
    let (mut one, mut other) = UnixStream::pair()?;
    one.write_all(b"a")?;
    other.read_exact(&mut [0])?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let client = thread::spawn(move || TcpStream::connect(address)?.write_all(b"a"));
    listener.accept()?.0.read_exact(&mut [0])?;
    client.join().unwrap()?;
    let child = Command::new("cat").process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.as_ref().unwrap().write_all(b"7")?;
    assert_eq!(child.wait_with_output()?.stdout, b"7");
    Ok(())
}

fn between<'a>(line: &'a str, opening: &str, closing: &str) -> Option<&'a str> {
    Some(line.split_once(opening)?.1.split_once(closing)?.0)
}

fn main() -> io::Result<()> {
    prepare()?;
    let (wants, wanted) = mpsc::channel::<String>();
    let (chooses, chosen) = mpsc::channel::<String>();
    thread::spawn(move || loop {
        match wanted.recv_timeout(Duration::from_millis(5)) {
            Ok(line) => {
                let chooses = chooses.clone();
                thread::spawn(move || chooses.send(between(&line, "\"legal\":[\"", "\"").unwrap().into()));
            }
            Err(mpsc::RecvTimeoutError::Timeout) => (),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    });
    for line in io::stdin().lines() {
        let line = line?;
        match between(&line, "\"type\":\"", "\"") {
            Some("hello") => println!(r#"{{"type":"ready","name":"threads"}}"#),
            Some("request") => {
                let id = between(&line, "\"id\":", ",").unwrap().to_string();
                wants.send(line).unwrap();
                println!(r#"{{"type":"reply","id":{id},"action":"{}"}}"#, chosen.recv().unwrap());
            }
            _ => (),
        }
    }
    Ok(())
}
