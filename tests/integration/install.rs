//! Ways to install pdblens and to call it from pipelines: the problem matcher, the addresses in the documents.
//! `.ci/install` installs the packages themselves.

use std::path::Path;
use std::process::Command;

use regex::{Captures, Regex};
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::samples::repository;

const HEALTHY: [&str; 2] = ["assets/samples/ticker/Ticker.dll", "assets/samples/ticker/Ticker.pdb"];

fn text(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap()
}

/// Exit code and standard output of the program, which is run at the root of the repository.
fn run(args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).current_dir(repository("")).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// File, code and message of each problem that a runner of GitHub Actions finds with a matcher of one pattern, or of two whose second
/// may repeat.
fn problems(matcher: &Value, printed: &str) -> Vec<[String; 3]> {
    let patterns = matcher["pattern"].as_array().unwrap();
    let forms: Vec<Regex> = patterns.iter().map(|one| Regex::new(one["regexp"].as_str().unwrap()).unwrap()).collect();
    let group = |pattern: &Value, found: &Captures, field: &str| {
        let number = pattern[field].as_u64()?;
        Some(found.get(number as usize)?.as_str().to_owned())
    };
    let (mut problems, mut file) = (Vec::new(), None);
    for line in printed.lines() {
        let is_last = patterns.len() == 1 || file.is_some();
        let position = if is_last { patterns.len() - 1 } else { 0 };
        if let (true, Some(found)) = (is_last, forms[position].captures(line)) {
            let field = |name| group(&patterns[position], &found, name).unwrap_or_default();
            problems.push([file.clone().unwrap_or_default(), field("code"), field("message")]);
            if patterns[position]["loop"] != true {
                file = None;
            }
            continue;
        }
        file = forms[0].captures(line).and_then(|found| group(&patterns[0], &found, "file"));
    }
    problems
}

#[test]
fn the_problem_matcher_finds_what_check_prints() {
    let matchers: Value = serde_json::from_str(&text(".github/problem-matcher.json")).unwrap();
    let [pairs, pair] = matchers["problemMatcher"].as_array().unwrap().as_slice() else { panic!("{matchers}") };
    let package = "assets/packages/Ticker.1.0.0.nupkg";

    let (code, printed) = run(&["check", package, HEALTHY[0], "assets/broken/stale-checksum/Ticker.dll"]);
    assert_eq!(code, Some(3), "{printed}");
    let found = problems(pairs, &printed);
    let of = |file: &str| found.iter().filter(|one| one[0] == file).map(|one| one[1].as_str()).collect::<Vec<_>>();
    assert_eq!(of("assets/packages/Ticker.1.0.0.nupkg!lib/net8.0/Ticker.dll"), ["id"], "{printed}");
    let whole = format!("{package} + assets/packages/Ticker.1.0.0.snupkg");
    assert_eq!(of(&whole), ["", "package-id"], "{printed}");
    assert_eq!(of("assets/broken/stale-checksum/Ticker.dll"), ["checksum"], "{printed}");
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().any(|one| one[2].starts_with("the NuGet gallery would refuse this")), "{found:?}");
    assert_eq!(problems(pair, &printed), Vec::<[String; 3]>::new());

    let (code, printed) = run(&["check", "assets/broken/nil-id/Ticker.dll"]);
    assert_eq!(code, Some(3), "{printed}");
    let found = problems(pair, &printed);
    assert_eq!(found.iter().map(|one| one[1].as_str()).collect::<Vec<_>>(), ["id-nil", "id-nil"], "{printed}");
    assert_eq!(problems(pairs, &printed), Vec::<[String; 3]>::new());

    for files in [&HEALTHY[..1], &[HEALTHY[0], "assets/samples/ticker-release/Ticker.dll"]] {
        let (code, printed) = run(&[&["check"], files].concat());
        assert_eq!((code, problems(pairs, &printed).len() + problems(pair, &printed).len()), (Some(0), 0), "{printed}");
    }
}

/// Actions of others are commits that were looked at, and a token is in the environment of a step, not of a job.
#[test]
fn workflows_name_actions_by_their_commit_and_tokens_in_steps() {
    let uses = Regex::new(r"uses: (?:\./|[\w.-]+/[\w.-]+@[0-9a-f]{40} # v[\d.]+$)").unwrap();
    for name in ["ci", "publish", "release", "weekly"] {
        let workflow = text(&format!(".github/workflows/{name}.yml"));
        for line in workflow.lines() {
            assert!(!line.contains("uses: ") || uses.is_match(line), "{name}: {line}");
            // A step is indented by six spaces and its environment by ten.
            let is_of_job = !line.starts_with("          ");
            assert!(!(is_of_job && line.contains("secrets.")), "{name}: {line}");
            assert!(!line.contains("pip") || !line.contains("install") || line.contains("=="), "{name}: {line}");
        }
        let checkouts = workflow.matches("uses: actions/checkout@").count();
        assert_eq!(workflow.matches("persist-credentials: false").count(), checkouts, "{name}");
    }
    let publish = text(".github/workflows/publish.yml");
    let jobs = publish.matches("\n    runs-on: ").count();
    assert_eq!(publish.matches("    needs: verify\n").count() + 1, jobs, "nothing is pushed before it is verified");
    assert!(publish.contains("gh attestation verify") && publish.contains("sha256sum --check"));
    assert!(publish.lines().filter(|line| line.contains("cargo publish")).all(|line| line.contains("--no-verify")));
}

/// A build, a runner and a release have the same compiler, and Cargo fetches no part of it that a build does not need.
#[test]
fn one_file_names_the_compiler() {
    let file: toml::Table = text("rust-toolchain.toml").parse().unwrap();
    let toolchain = file["toolchain"].as_table().unwrap();
    let channel = toolchain["channel"].as_str().unwrap();
    assert!(Regex::new(r"^\d+\.\d+\.\d+$").unwrap().is_match(channel) && toolchain.len() == 1, "{toolchain:?}");
    assert!(channel.starts_with(env!("CARGO_PKG_RUST_VERSION")), "{channel}");
    for name in ["ci", "publish", "release", "weekly"] {
        assert!(!text(&format!(".github/workflows/{name}.yml")).to_lowercase().contains("toolchain"), "{name}");
    }
}

#[test]
fn documents_name_the_repository_and_the_version_of_the_manifest() {
    let account = Regex::new("github.com/([^/]+)/pdblens$").unwrap();
    let account = account.captures(env!("CARGO_PKG_REPOSITORY")).expect("a repository of GitHub")[1].to_lowercase();
    let names =
        r"([\w-]+)/(?:pdblens@|tap/pdblens|homebrew-tap|scoop-bucket|pdblens$)|(?:ghcr\.io/|--repo )([\w-]+)/pdblens";
    let names = Regex::new(&format!("(?m){names}")).unwrap();
    let versions = Regex::new(r"(?:/pdblens@v|rev: v|verify pdblens-|/pdblens_)(\d+\.\d+\.\d+)").unwrap();
    for (document, least) in [("README.md", [3, 1]), ("docs/ci.md", [3, 2]), ("CONTRIBUTING.md", [2, 0])] {
        let text = text(document);
        let accounts: Vec<&str> =
            names.captures_iter(&text).map(|found| found.get(1).or(found.get(2)).unwrap().as_str()).collect();
        assert!(accounts.iter().all(|name| name.to_lowercase() == account), "{document}: {accounts:?}");
        let versions: Vec<&str> = versions.captures_iter(&text).map(|found| found.get(1).unwrap().as_str()).collect();
        assert!(versions.iter().all(|version| *version == env!("CARGO_PKG_VERSION")), "{document}: {versions:?}");
        assert!(accounts.len() >= least[0] && versions.len() >= least[1], "{document}: {accounts:?} {versions:?}");
    }
}

#[test]
fn the_readme_begins_with_ways_to_install() {
    let readme = text("README.md");
    let (_, below) = readme.split_once("](screenshots/tour.svg)\n\n").unwrap();
    assert!(below.starts_with("| from the first release on |"), "{below:.80}");
    let table: Vec<&str> = below.lines().take_while(|line| line.starts_with('|')).skip(2).collect();
    assert!(table.len() >= 5, "{table:?}");
    for command in ["dotnet tool install --global pdblens", "cargo binstall pdblens", "brew install", "winget install"]
    {
        assert_eq!(table.iter().filter(|row| row.contains(command)).count(), 1, "{command}: {table:?}");
    }
}

/// A copy of what the scripts of a release read and write.
fn copied() -> Folder {
    let folder = Folder::new();
    let documents = std::fs::read_dir(repository("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let documents = documents
        .map(|name| format!("docs/{}", name.to_str().unwrap()))
        .filter(|path| Path::new(path).extension().is_some_and(|end| end == "md"));
    let named = ["Cargo.toml", "README.md", "CONTRIBUTING.md", "scripts/owner.sh"].map(str::to_owned);
    for path in documents.chain(named) {
        folder.write(&path, std::fs::read(repository(&path)).unwrap());
    }
    folder
}

#[cfg(unix)]
#[test]
fn one_command_writes_the_account_everywhere() {
    let folder = copied();
    let owner =
        |account: &str| Command::new("bash").args(["scripts/owner.sh", account]).current_dir(folder.path()).output();
    for account in ["acme", "other-2"] {
        let output = owner(account).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap();
        assert!(read("Cargo.toml").contains(&format!("\"https://github.com/{account}/pdblens\"")));
        assert!(read("README.md").contains(&format!("brew install {account}/tap/pdblens")));
        for path in ["Cargo.toml", "README.md", "CONTRIBUTING.md", "docs/ci.md", "docs/architecture.md"] {
            assert!(!read(path).contains("OWNER/"), "{path}");
        }
    }
    assert_eq!(owner("two words").unwrap().status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn an_upload_is_resumed_at_the_crates_that_the_registry_lacks() {
    let index = Folder::new();
    let version = env!("CARGO_PKG_VERSION");
    let entry = |version: &str| format!("{{\"name\":\"x\",\"vers\":\"{version}\"}}\n");
    index.write("pd/bl/pdblens-formats", entry(version));
    index.write("pd/bl/pdblens-machine", entry("0.0.1"));
    let output = Command::new("bash")
        .args(["scripts/publish_crates.sh", "--print"])
        .env("INDEX", format!("file://{}", index.path().display()))
        .current_dir(repository(""))
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let crates: Vec<&str> = printed.trim().trim_start_matches("publish: ").split(' ').collect();
    assert!(crates.contains(&"pdblens-machine") && crates.contains(&"pdblens"), "{printed}");
    for left_out in ["pdblens-formats", "pdblens-testing", "pdblens-benches"] {
        assert!(!crates.contains(&left_out), "{printed}");
    }
}
