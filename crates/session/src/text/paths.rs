//! Paths from files, of either kind: `C:\\src\\Program.cs` and `/src/Program.cs`, whatever the machine.

use std::fmt::Write as _;

pub const fn is_separator(c: char) -> bool {
    matches!(c, '/' | '\\')
}

/// File name at the end of a path; empty after a separator.
pub fn file_name(path: &str) -> &str {
    path.rsplit(is_separator).next().unwrap_or(path)
}

/// The path after its drive letter and colon; `None` without a drive.
pub fn after_drive(path: &str) -> Option<&str> {
    let rest = path.get(1..)?.strip_prefix(':')?;
    path.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(rest)
}

/// Components of a path, without root and drive; `None` if one leads up or cannot be a file name on every system.
pub fn components(path: &str) -> Option<Vec<&str>> {
    let path = after_drive(path).unwrap_or(path);
    let all: Vec<&str> = path.split(is_separator).filter(|part| !part.is_empty() && *part != ".").collect();
    let plain = |part: &&str| *part != ".." && !part.contains(['\0', ':']);
    all.iter().all(plain).then_some(all)
}

/// Returns whether Windows keeps this file name for a device, whatever the folder and the extension, or the name is that of a
/// stream of a file.
pub(crate) fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let numbered = |port: &str| {
        let digit = stem.get(..port.len()).filter(|start| start.eq_ignore_ascii_case(port)).map(|_| stem.get(3..));
        digit
            .flatten()
            .is_some_and(|rest| matches!(rest.chars().collect::<Vec<_>>().as_slice(), ['0'..='9' | '¹' | '²' | '³']))
    };
    let plain = ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];
    plain.iter().any(|device| stem.eq_ignore_ascii_case(device))
        || numbered("com")
        || numbered("lpt")
        || name.contains(':')
}

/// A path component as a URL has it: every byte but ASCII letters, digits and `-_.~` as `%XX`.
pub fn percent_encoded(part: &str) -> String {
    percent_encoded_except(part, "-_.~")
}

/// A text with every byte but ASCII letters, digits and those of `kept` as `%XX`.
pub fn percent_encoded_except(part: &str, kept: &str) -> String {
    let mut out = String::with_capacity(part.len());
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(byte as char);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The text without the passwords of its URLs: `https://user:***@host/`. A user's name alone may be a token, and is `***` too.
pub fn without_passwords(text: &str) -> String {
    let mut parts = text.split("://");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += "://";
        let end = part.find(|c: char| c.is_whitespace() || "/\\?#\"'<>".contains(c)).unwrap_or(part.len());
        let (authority, rest) = part.split_at(end);
        match authority.rsplit_once('@') {
            Some((user, host)) => {
                let name = user.split_once(':').map_or(String::new(), |(name, _)| format!("{name}:"));
                let _ = write!(out, "{name}***@{host}");
            }
            None => out += authority,
        }
        out += rest;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_urls_are_not_shown() {
        for (text, shown) in [
            ("https://user:secret@host:8080/a@b?c", "https://user:***@host:8080/a@b?c"),
            ("https://user:p@ss:word@host", "https://user:***@host"),
            ("http://token@host/", "http://***@host/"),
            ("\"http://:secret@a/*\", \"http://b/c@d\"", "\"http://:***@a/*\", \"http://b/c@d\""),
            ("curl https://a/x me@example.com ftp://u:p@b", "curl https://a/x me@example.com ftp://u:***@b"),
            (r"C:\src\a@b.cs", r"C:\src\a@b.cs"),
            ("://@", "://***@"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
    }

    #[test]
    fn devices_are_told_by_name() {
        for device in ["con", "NUL.cs", "Com1", "lpt9.txt", "aux .c", "COM²", "a.cs:ads"] {
            assert!(is_device_name(device), "{device}");
        }
        for file in ["console.cs", "com10", "comb", "nul-object.cs", "com", "Lpt.cs"] {
            assert!(!is_device_name(file), "{file}");
        }
    }
}
