//! `App.deps.json`, which the .NET SDK writes beside a program: its libraries, each with its type and its files.

use std::collections::BTreeSet;

use serde_json::Value;

/// File names of the assemblies of projects, in lower case; `None` for a file that is none of the SDK's.
pub fn projects(json: &[u8]) -> Option<BTreeSet<String>> {
    let root: Value = serde_json::from_slice(json).ok()?;
    let is_project = |library: &Value| library.get("type").and_then(Value::as_str) == Some("project");
    let libraries = root.get("libraries")?.as_object()?;
    let projects: BTreeSet<&str> =
        libraries.iter().filter(|(_, library)| is_project(library)).map(|(name, _)| name.as_str()).collect();
    // If no target lists the assembly, its name is that of the library: `Tool/1.0.0`.
    let named = projects.iter().map(|name| format!("{}.dll", name.split('/').next().unwrap_or(name)).to_lowercase());
    let targets = root.get("targets").and_then(Value::as_object).into_iter().flat_map(|targets| targets.values());
    let listed = targets.filter_map(Value::as_object).flatten().filter(|(name, _)| projects.contains(name.as_str()));
    let files = listed.filter_map(|(_, library)| library.get("runtime")?.as_object()).flat_map(|files| files.keys());
    let last = |path: &String| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    Some(named.chain(files.map(last)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_told_from_packages() {
        let json = br#"{"targets": {".NETCoreApp,Version=v8.0": {
            "Tool/1.0.0": {"runtime": {"Tool.Host.dll": {}}},
            "Json/13.0.1": {"runtime": {"lib/net6.0/Json.dll": {}}}}},
            "libraries": {"Tool/1.0.0": {"type": "project"}, "Json/13.0.1": {"type": "package"}}}"#;
        let found = projects(json).unwrap();
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["tool.dll", "tool.host.dll"]);
        for other in ["", "{", "[]", "{}", r#"{"libraries": 1}"#] {
            assert_eq!(projects(other.as_bytes()), None, "{other}");
        }
        assert_eq!(
            projects(br#"{"libraries": {"": {"type": "project"}}, "targets": [1]}"#).map(|found| found.len()),
            Some(1)
        );
    }
}
