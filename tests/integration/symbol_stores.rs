//! Symbol stores: folders, tiers, caches and servers; only the requested file is accepted.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use crate::support::containers::cabinet;
use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::server::{Answer, Server};
use pdblens::session::{PdbMatch, Session};
use pdblens::store::http::{Http, Limits};
use pdblens::store::{Found, Looked, Outcome, Search, SymbolPath, SymbolPaths, Wanted};

const KEY: &str = "ticker.pdb/3222a828d6ba470fac43bbba907b2f03FFFFFFFF/ticker.pdb";

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(name)
}

fn pdb() -> Vec<u8> {
    fs::read(sample("ticker/Ticker.pdb")).unwrap()
}

/// The image of the sample, without its symbols beside it.
fn image() -> Session {
    Session::from_bytes(vec![("Ticker.dll".into(), fs::read(sample("ticker/Ticker.dll")).unwrap())]).unwrap()
}

fn wanted() -> Wanted {
    Wanted::symbols_of(image().image().unwrap()).remove(0)
}

fn hasty() -> Http {
    Http::new(Limits {
        connect: Duration::from_secs(5),
        stall: Duration::from_millis(300),
        total: Duration::from_secs(5),
        most: 1 << 20,
        redirects: 3,
        ..Limits::default()
    })
}

fn find(path: &str, http: Option<&Http>) -> (Option<Found>, Vec<Looked>) {
    let path = SymbolPath::parse(path);
    let mut search = Search::new(&path, http);
    let found = search.find(&wanted(), &mut |_, _| ControlFlow::Continue(()));
    (found, search.looked)
}

/// Name of an outcome in JSON.
fn outcome(looked: &Looked) -> String {
    serde_json::to_value(looked).unwrap()["outcome"].as_str().unwrap().to_owned()
}

fn outcomes(looked: &[Looked]) -> Vec<String> {
    looked.iter().map(outcome).collect()
}

#[test]
fn keys_of_the_samples() {
    assert_eq!(wanted().key.unwrap().to_string(), KEY);
    let windows = Session::open(&[sample("ticker-windows/Ticker.dll")]).unwrap();
    let windows = Wanted::symbols_of(windows.image().unwrap()).remove(0).key.unwrap().to_string();
    assert!(windows.starts_with("ticker.pdb/") && windows.ends_with("1/ticker.pdb"), "{windows}");
    let session = image();
    let own = Wanted::of_image(session.image().unwrap()).unwrap();
    let pe = &session.image().unwrap().pe;
    let id = format!("{:08X}{:x}", pe.coff.time_date_stamp, pe.optional.as_ref().unwrap().windows.size_of_image);
    assert_eq!(own.key.as_ref().unwrap().to_string(), format!("ticker.dll/{id}/ticker.dll"));
    assert_eq!(own.accepts(fs::read(sample("ticker/Ticker.dll")).unwrap()), Ok(()));
    assert!(own.accepts(fs::read(sample("ticker-release/Ticker.dll")).unwrap()).is_err());
    assert!(own.accepts(pdb()).is_err());
}

#[test]
fn only_the_right_file_is_accepted() {
    let wanted = wanted();
    assert_eq!(wanted.accepts(pdb()), Ok(()));
    let why = |bytes: Vec<u8>| wanted.accepts(bytes).unwrap_err().text;
    assert!(why(fs::read(sample("ticker-release/Ticker.pdb")).unwrap()).contains("does not match"));
    let mut changed = pdb();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    assert!(why(changed).contains("checksum"), "the id is right, the content is not");
    assert!(why(b"<html>not found</html>".to_vec()).contains("XML or HTML"));
    assert!(why(pdb()[..600].to_vec()).len() > 5);
    assert!(why(Vec::new()).contains("empty"));
}

#[test]
fn folders_and_stores_of_one_and_two_tiers() {
    let symstore = "Ticker.pdb/3222A828D6BA470FAC43BBBA907B2F03FFFFFFFF/Ticker.pdb";
    let two_tiers = format!("ti/{KEY}");
    for (name, index2) in [
        (KEY, false),
        (symstore, false),
        (two_tiers.as_str(), true),
        ("Ticker.pdb", false),
        ("ticker.pdb", false),
        // Under another name: found by its id.
        ("renamed-after-build.pdb", false),
    ] {
        let folder = Folder::new();
        let path = folder.write(name, pdb());
        if index2 {
            folder.write("index2.txt", "");
        }
        let (found, looked) = find(folder.path().to_str().unwrap(), None);
        assert_eq!(found.map(|found| found.path), Some(path), "{name}: {looked:?}");
        assert_eq!(looked.last().unwrap().outcome, Outcome::Found);
    }
    let folder = Folder::new();
    folder.write(&two_tiers, pdb());
    assert_eq!(find(folder.path().to_str().unwrap(), None).0, None, "without index2.txt there are no two tiers");
}

#[test]
fn a_file_of_another_build_is_skipped_and_reported() {
    let (first, second) = (Folder::new(), Folder::new());
    first.write("Ticker.pdb", fs::read(sample("ticker-release/Ticker.pdb")).unwrap());
    second.write(KEY, pdb());
    let path = format!("{};{}", first.path().display(), second.path().display());
    let (found, looked) = find(&path, None);
    assert!(found.is_some());
    assert_eq!(outcomes(&looked), ["refused", "found"], "{looked:?}");
    for (name, says) in [("ticker.pd_", "cabinet"), ("file.ptr", "another location")] {
        let folder = Folder::new();
        folder.write(&KEY.replace("/ticker.pdb", &format!("/{name}")), "x");
        let (found, looked) = find(folder.path().to_str().unwrap(), None);
        assert!(found.is_none() && looked[0].outcome.to_string().contains(says), "{looked:?}");
    }
}

#[test]
fn a_server_is_asked_once_and_then_the_cache() {
    let server = Server::new([(format!("/symbols/{KEY}"), Answer::Bytes(pdb()))]);
    let cache = Folder::new();
    let path = format!("srv*{}*{}", cache.path().display(), server.url("/symbols/"));
    let (found, looked) = find(&path, Some(&hasty()));
    assert_eq!(found.unwrap().path, cache.path().join(KEY));
    assert_eq!(outcomes(&looked), ["missing", "found", "kept"]);
    assert_eq!(cache.files(), [KEY], "nothing is left over");
    let checksum = "SymbolChecksum: SHA256:28a82232bad60f672c43bbba907b2f0335ad6c39c183ade8fdbb2c7a6cfc8046";
    let asked = server.asked().concat().to_lowercase();
    assert!(asked.contains(&checksum.to_lowercase()), "{asked}");
    let (found, looked) = find(&path, None);
    assert!(found.is_some());
    assert_eq!((outcomes(&looked), server.asked().len()), (vec!["found".to_owned()], 1));
}

#[test]
fn a_server_is_asked_for_the_cabinet_of_symstore_last() {
    let cabinet_key = "Ticker.pdb/3222A828D6BA470FAC43BBBA907B2F03FFFFFFFF/Ticker.pd_";
    let url = format!("/symbols/{cabinet_key}");
    let server = Server::new([(url.clone(), Answer::Bytes(cabinet(&pdb())))]);
    let cache = Folder::new();
    let (found, looked) = find(&format!("srv*{}*{}", cache.path().display(), server.url("/symbols/")), Some(&hasty()));
    assert_eq!(found.unwrap().bytes, pdb(), "{looked:?}");
    assert_eq!(fs::read(cache.path().join(KEY)).unwrap(), pdb(), "the cache has the file, not the cabinet");
    assert_eq!(server.asked().len(), 3, "the two spellings of the name, then the cabinet: {looked:?}");
    assert_eq!(outcomes(&looked), ["missing", "missing", "missing", "found", "kept"]);
    for (bytes, says) in [(b"x".to_vec(), "cabinet"), (cabinet(b"<html>"), "XML or HTML")] {
        let server = Server::new([(url.clone(), Answer::Bytes(bytes))]);
        let (found, looked) = find(&format!("srv*{}", server.url("/symbols")), Some(&hasty()));
        let last = looked.last().unwrap().outcome.to_string();
        assert!(found.is_none() && last.contains(says), "{looked:?}");
    }
}

#[test]
fn a_cache_in_front_of_everything() {
    let server = Server::new([(format!("/{KEY}"), Answer::Bytes(pdb()))]);
    let cache = Folder::new();
    let path = format!("cache*{};{}", cache.path().display(), server.url(""));
    assert!(find(&path, Some(&hasty())).0.is_some());
    assert_eq!(cache.files(), [KEY]);
}

#[test]
fn only_named_and_allowed_servers_are_contacted() {
    let server = Server::new([(format!("/{KEY}"), Answer::Bytes(pdb()))]);
    let (found, looked) = find(&server.url(""), None);
    assert_eq!((found, outcomes(&looked)), (None, vec!["not-asked".to_owned()]));
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn failed_downloads_leave_nothing_in_the_cache() {
    let other = fs::read(sample("ticker-release/Ticker.pdb")).unwrap();
    let mut changed = pdb();
    changed[700] ^= 1;
    for (answer, expected) in [
        (Answer::Bytes(other), "refused"),
        (Answer::Bytes(changed), "refused"),
        (Answer::Bytes(b"<!DOCTYPE html>".into()), "refused"),
        (Answer::Bytes(Vec::new()), "refused"),
        (Answer::Stall(pdb()), "failed"),
        (Answer::CutOff(pdb(), 1000), "failed"),
        (Answer::Endless, "failed"),
        (Answer::Noise, "failed"),
        (Answer::Status(500), "failed"),
        (Answer::Status(404), "missing"),
        (Answer::Redirect(format!("/{KEY}")), "failed"),
        (Answer::Redirect("file:///etc/passwd".into()), "failed"),
    ] {
        let server = Server::new([(format!("/{KEY}"), answer)]);
        let cache = Folder::new();
        let path = format!("srv*{}*{}", cache.path().display(), server.url(""));
        let (found, looked) = find(&path, Some(&hasty()));
        assert_eq!(found, None);
        assert_eq!(outcome(&looked[1]), expected, "{looked:?}");
        assert_eq!(cache.files(), [""; 0]);
    }
}

#[test]
fn a_redirected_download_is_checked() {
    let there = Server::new([("/blob/1".into(), Answer::Bytes(pdb()))]);
    let server = Server::new([(format!("/{KEY}"), Answer::Redirect(there.url("/blob/1")))]);
    let (found, looked) = find(&server.url(""), Some(&hasty()));
    assert!(found.is_some());
    // The server that it is from in the end is named.
    assert_eq!(outcomes(&looked), ["redirected", "found"]);
    assert_eq!(looked[0].outcome.to_string(), there.url("").replace("http://", "redirected to "));
    let elsewhere = there.url("/blob/1").replace("127.0.0.1", "localhost");
    let server = Server::new([(format!("/{KEY}"), Answer::Redirect(elsewhere))]);
    let (found, looked) = find(&server.url(""), Some(&hasty()));
    assert!(found.is_none() && looked[0].outcome.to_string().contains("localhost without https"), "{looked:?}");
}

#[test]
fn the_password_of_a_server_is_sent_and_not_shown() {
    let server = Server::new([(format!("/{KEY}"), Answer::Bytes(pdb()))]);
    let path = server.url("").replace("http://", "http://me:secret@");
    let (found, looked) = find(&path, Some(&hasty()));
    assert!(server.asked()[0].to_lowercase().contains("authorization: basic bwu6c2vjcmv0"), "{:?}", server.asked());
    let shown = server.url(&format!("/{KEY}")).replace("http://", "http://me:***@");
    assert_eq!((found.unwrap().from, &looked[0].place), (shown.clone(), &shown));
    assert_eq!(find(&path, None).1[0].place, server.url("").replace("http://", "http://me:***@"));
}

#[test]
fn a_corrupt_cache_entry_is_replaced() {
    let server = Server::new([(format!("/{KEY}"), Answer::Bytes(pdb()))]);
    let cache = Folder::new();
    cache.write(KEY, "rubbish");
    let path = format!("srv*{}*{}", cache.path().display(), server.url(""));
    let (found, looked) = find(&path, Some(&hasty()));
    assert!(found.is_some());
    assert_eq!(outcomes(&looked), ["refused", "found", "kept"]);
    assert_eq!(fs::read(cache.path().join(KEY)).unwrap(), pdb());
}

#[test]
fn a_session_takes_its_symbols_from_a_store() {
    let folder = Folder::new();
    folder.write(KEY, pdb());
    let named = SymbolPath::parse(folder.path().to_str().unwrap());
    let paths = SymbolPaths { named, ..SymbolPaths::default() };
    let (session, looked) = paths.complete(image(), None, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(session.pdb_match(), PdbMatch::Matched);
    assert_eq!((session.symbols().unwrap().documents(), outcomes(&looked)), (2, vec!["found".to_owned()]));
}

fn pdblens(args: &[&str], environment: &str) -> Output {
    let command = &mut Command::new(env!("CARGO_BIN_EXE_pdblens"));
    command.args(args).env("_NT_SYMBOL_PATH", environment).env("XDG_CACHE_HOME", std::env::temp_dir()).output().unwrap()
}

#[test]
fn the_commands_search_the_symbol_path() {
    let (store, alone) = (Folder::new(), Folder::new());
    store.write(KEY, pdb());
    let dll = alone.write("Ticker.dll", fs::read(sample("ticker/Ticker.dll")).unwrap());
    let (dll, store) = (dll.to_str().unwrap(), store.path().to_str().unwrap());
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();

    let found = pdblens(&["find", dll, "--symbols", store], "");
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    assert!(text(&found).contains(KEY) && text(&found).contains("found, and it matches"), "{}", text(&found));
    let missing = pdblens(&["find", dll, "--json"], "/no/such/folder");
    assert_eq!(missing.status.code(), Some(3));
    let json: serde_json::Value = serde_json::from_slice(&missing.stdout).unwrap();
    assert_eq!(json["pairs"][0]["searches"][0]["key"], KEY);
    assert_eq!(json["pairs"][0]["searches"][0]["looked"][0]["outcome"], "missing");

    assert!(text(&pdblens(&["info", dll], "")).contains("No PDB found"));
    for output in [pdblens(&["info", dll, "--symbols", store], ""), pdblens(&["info", dll], store)] {
        assert!(text(&output).contains("matches"), "{}", text(&output));
    }
    let server = Server::new([(format!("/{KEY}"), Answer::Bytes(pdb()))]);
    let output = pdblens(&["info", dll], &server.url(""));
    assert!(text(&output).contains("No PDB found"), "a server out of the environment is not asked in passing");
    assert_eq!(server.asked().len(), 0);
    let output = pdblens(&["info", dll, "--symbols", &server.url("")], "");
    assert!(text(&output).contains("matches") && server.asked().len() == 1, "{}", text(&output));
    let pdb_key = pdblens(&["find", sample("ticker/Ticker.pdb").to_str().unwrap()], "");
    assert!(text(&pdb_key).contains(KEY), "{}", text(&pdb_key));
}

#[test]
fn a_windows_pdb_is_found_by_its_id_whatever_it_is_called() {
    let folder = Folder::new();
    let root = folder.path();
    fs::copy(sample("ticker-windows/Ticker.dll"), root.join("Ticker.dll")).unwrap();
    let store = root.join("symbols");
    fs::create_dir(&store).unwrap();
    fs::copy(sample("workshop-windows/Workshop.pdb"), store.join("Ticker.pdb")).unwrap();
    fs::copy(sample("ticker-windows/Ticker.pdb"), store.join("archived-7.pdb")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pdblens"))
        .args(["find", "--symbols"])
        .arg(&store)
        .arg(root.join("Ticker.dll"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let found = text.lines().find(|line| line.trim_start().starts_with("found")).unwrap_or_default();
    assert!(found.ends_with("archived-7.pdb"), "{text}");
}

#[cfg(unix)]
#[test]
fn links_inside_a_cache_are_not_followed() {
    use std::os::unix::fs::symlink;

    let real = Folder::new();
    real.write(KEY, pdb());
    let (folder, _) = KEY.rsplit_once('/').unwrap();
    let (name, _) = folder.split_once('/').unwrap();
    // A link in the place of the file, of the folder of its id, of that of its name; by its id, under another name.
    for link in [KEY, folder, name, "other.pdb"] {
        let cache = Folder::new();
        let at = cache.path().join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(real.path().join(if link == "other.pdb" { KEY } else { link }), &at).unwrap();
        let (found, looked) = find(&format!("cache*{}", cache.path().display()), None);
        assert_eq!(found, None, "{link}");
        if link != "other.pdb" {
            assert!(!looked.is_empty() && outcomes(&looked).iter().all(|outcome| *outcome == "failed"), "{looked:?}");
            let why = looked[0].outcome.to_string();
            assert!(why.contains(&format!("{} is a link inside the cache", at.display())), "{why}");
        }
        // Nothing is written through it either, and what is wrong is named.
        let server = Server::new([(format!("/{KEY}"), Answer::Bytes(pdb()))]);
        let (found, looked) = find(&format!("srv*{}*{}", cache.path().display(), server.url("")), Some(&hasty()));
        assert!(found.is_some(), "{looked:?}");
        let kept = looked.last().unwrap();
        assert_eq!(outcome(kept), if link == "other.pdb" { "kept" } else { "failed" }, "{looked:?}");
        assert!(link == "other.pdb" || kept.outcome.to_string().contains(&at.display().to_string()), "{looked:?}");
    }
    // A cache that is a link itself, and a folder of the user's own, are what was named.
    let linked = Folder::new();
    symlink(real.path(), linked.path().join("cache")).unwrap();
    assert!(find(&format!("cache*{}", linked.path().join("cache").display()), None).0.is_some());
    symlink(real.path().join(KEY), linked.path().join("ticker.pdb")).unwrap();
    assert!(find(&linked.path().display().to_string(), None).0.is_some());
}

#[test]
fn answers_of_unknown_length_end_long_before_those_that_are_announced() {
    let (symbols, texts) = (Limits::default(), pdblens::source::limits());
    assert!(symbols.most_unannounced <= 128 << 20 && symbols.most >= 1 << 30);
    assert_eq!(texts.most, 64 << 20);
    let server = Server::new([("/endless".into(), Answer::Endless), ("/long".into(), Answer::Bytes(vec![1; 300_000]))]);
    let http = Http::new(Limits { most: 1 << 20, most_unannounced: 1 << 18, ..Limits::default() });
    let mut most = 0;
    let mut get = |path: &str| {
        http.get(&server.url(path), &[], &mut |done, _| {
            most = most.max(done);
            ControlFlow::Continue(())
        })
    };
    let error = get("/endless").unwrap_err().to_string();
    assert!(error.contains("announces no length") && error.contains("262144 bytes"), "{error}");
    assert_eq!(get("/long").map(|answer| answer.bytes.len()), Ok(300_000));
    assert!(most <= 300_000, "{most}");
}

#[test]
fn the_log_says_why_a_file_was_refused() {
    let folder = Folder::new();
    folder.write("Ticker.dll", fs::read(repository("assets/samples/ticker/Ticker.dll")).unwrap());
    let wrong = fs::read(repository("assets/samples/ticker-release/Ticker.pdb")).unwrap();
    folder.write("symbols/Ticker.pdb", wrong);
    let find = |level: &str| {
        let mut find = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        find.args(["find", "Ticker.dll", "--symbols", "symbols"]).env("PDBLENS_LOG", level).current_dir(folder.path());
        String::from_utf8(find.output().unwrap().stderr).unwrap()
    };
    let log = find("debug");
    let line = log.lines().find(|line| line.contains("symbols/Ticker.pdb: ")).unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains(" ms  pdblens_session::store::search: ") && line.contains("id"), "{line}");
    assert!(!find("error").contains("Ticker.pdb: "));
}
