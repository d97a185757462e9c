//! A small HTTP server on loopback with scripted, possibly invalid responses.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

#[derive(Clone)]
pub enum Answer {
    /// The requested body.
    Bytes(Vec<u8>),
    /// A status without a body.
    Status(u16),
    /// A redirect.
    Redirect(String),
    /// The start of the body, and then nothing, with the connection kept open.
    Stall(Vec<u8>),
    /// A long body, a byte at a time.
    Drip,
    /// The start of the body, and then the end of the connection.
    CutOff(Vec<u8>, usize),
    /// Bytes without end.
    Endless,
    /// Something that is not HTTP.
    Noise,
}

pub struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

/// The paths that `path` may have for a server that [`Server::linked`] names: it is known only when the server is up.
pub fn linked_paths(path: &str) -> [String; 3] {
    // "http://127.0.0.1:", three to five digits, and a slash.
    [3, 4, 5].map(|digits| format!("/{}{path}", "x".repeat(27 - 17 - 1 - digits)))
}

impl Server {
    /// Answers each path as `answers` says, and any other with 404.
    pub fn new(answers: impl IntoIterator<Item = (String, Answer)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (answers, asked) = (Arc::new(answers.into_iter().collect::<HashMap<_, _>>()), Arc::default());
        let log = Arc::clone(&asked);
        // The thread ends with the process; nothing waits for it.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, log) = (Arc::clone(&answers), Arc::clone(&log));
                thread::spawn(move || serve(stream, &answers, &log));
            }
        });
        Self { port, asked }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// A PDB whose Source Link names this server where it named `https://example.com/pdblens`, without a byte more or less.
    pub fn linked(&self, mut pdb: Vec<u8>) -> Vec<u8> {
        let there = b"https://example.com/pdblens";
        let mut here = self.url("/");
        while here.len() < there.len() {
            here.push('x');
        }
        let mut seen = 0;
        while let Some(at) = pdb.windows(there.len()).position(|bytes| bytes == there) {
            pdb[at..at + there.len()].copy_from_slice(here.as_bytes());
            seen += 1;
        }
        assert!(seen > 0);
        pdb
    }

    /// The first lines and headers of the requests so far.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, answers: &HashMap<String, Answer>, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut request, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        request.push_str(&line);
        line.clear();
    }
    let path = request.split_whitespace().nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(request);
    // The client may have closed the connection.
    let _ = answer(stream, answers.get(&path).cloned().unwrap_or(Answer::Status(404)));
}

fn answer(mut stream: TcpStream, answer: Answer) -> std::io::Result<()> {
    let mut head =
        |first: &str, headers: &str| write!(stream, "HTTP/1.1 {first}\r\nConnection: close\r\n{headers}\r\n");
    match answer {
        Answer::Bytes(bytes) => {
            head("200 OK", &format!("Content-Length: {}\r\n", bytes.len()))?;
            stream.write_all(&bytes)
        }
        Answer::Status(status) => head(&format!("{status} No"), "Content-Length: 0\r\n"),
        Answer::Redirect(to) => head("302 Found", &format!("Location: {to}\r\nContent-Length: 0\r\n")),
        Answer::Stall(bytes) => {
            head("200 OK", &format!("Content-Length: {}\r\n", bytes.len() + 1000))?;
            stream.write_all(&bytes)?;
            thread::sleep(Duration::from_secs(20));
            Ok(())
        }
        Answer::Drip => {
            head("200 OK", "Content-Length: 100000\r\n")?;
            loop {
                stream.write_all(b"x")?;
                thread::sleep(Duration::from_millis(50));
            }
        }
        Answer::CutOff(bytes, at) => {
            head("200 OK", &format!("Content-Length: {}\r\n", bytes.len()))?;
            stream.write_all(&bytes[..at])
        }
        Answer::Endless => {
            head("200 OK", "")?;
            loop {
                stream.write_all(&[b'x'; 4096])?;
            }
        }
        Answer::Noise => stream.write_all(b"\x16\x03\x01 not HTTP at all\r\n\r\n"),
    }
}
