//! `check`: one pair in detail, or many at once.

mod baseline;
mod github;
mod junit;
mod many;
pub mod policy_file;
mod report;
mod sarif;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use self::many::Many;
use self::policy_file::{Config, Levels};
use self::report::{Checked, RuleTotal};
use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::output::say;
use super::source_args::SourceArgs;
use super::steps;
use crate::learn::failure::wrong_reads;
use crate::nodes;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::check::{self, GROUPS, Grade, Group, Level, Policy, Remark, all_rules, findings, group_of};
use crate::session::Session;
use crate::session::inputs::{PathPattern, has_package};
use crate::source::{SourceOptions, limits};
use crate::store::http::Http;
use crate::text::safe::visible;

/// `pdblens check FILE…`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub struct Check {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    sources: SourceArgs,
    /// Count notes of a rule or group as findings.
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// Count findings of a rule or group as notes.
    #[arg(long, value_name = "RULE")]
    warn: Vec<String>,
    /// Ignore a rule or group.
    ///
    /// An option for a rule takes precedence over one for its group; of several options for the same name, the strictest one applies.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Count an image whose symbols are not found as a finding, as --deny symbols does.
    #[arg(long)]
    require_symbols: bool,
    /// Check that the URLs of the documents can be downloaded, and that the texts match their hashes.
    #[arg(long, value_enum, value_name = "WHAT", require_equals = true, num_args = 0..=1, default_missing_value = "body")]
    fetch: Option<Fetch>,
    /// Print only findings.
    #[arg(long, short)]
    quiet: bool,
    /// Annotate notes too, with --format github.
    #[arg(long, conflicts_with = "quiet")]
    notes: bool,
    /// Read the policy from this file instead of `pdblens.toml` in the current folder or above it.
    ///
    /// A command-line option for the same rule or group takes precedence over the file.
    #[arg(long, value_name = "TOML")]
    config: Option<PathBuf>,
    /// Do not read `pdblens.toml`.
    #[arg(long, conflicts_with = "config")]
    no_config: bool,
    /// Leave out the findings and notes that this file has, so that only new ones count; if it does not exist, write it with those of this run.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Print below each finding the decoder's reads of its bytes and those before them, as `show --steps` does.
    #[arg(long)]
    steps: bool,
    /// List the rules and groups instead of checking.
    #[arg(long)]
    rules: bool,
    /// Choose the format of the output.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: CheckFormat,
    /// Print one JSON document, as --format json does.
    #[arg(long)]
    json: bool,
}

/// Request to the servers of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Fetch {
    /// Request only the headers, without comparing hashes.
    Head,
    /// Download the text and compare its hash; the default.
    Body,
}

/// Format of the output of `check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum CheckFormat {
    /// Readable text.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit's XML, for test reports.
    Junit,
    /// Workflow commands of GitHub Actions, which annotate files.
    Github,
}

impl Run for Check {
    const EXAMPLES: &'static [Example] = &[
        example("Check a build; exit code 3 if there is a finding", "pdblens check bin"),
        example("Check a package before it is pushed", "pdblens check Acme.1.2.0.nupkg"),
        example("Make a report for code scanning", "pdblens check App.dll --format sarif > pdblens.sarif"),
        example("Fail only for what is new since the first run", "pdblens check bin --baseline pdblens.baseline"),
        example("List the rules", "pdblens check --rules"),
    ];

    fn access(&self) -> Access {
        self.files
            .symbols
            .access()
            .and(Access::network(self.fetch.is_some()))
            .and(policy_access())
            .and(Access::output(self.baseline.as_deref()))
    }

    fn run(mut self, out: &mut Out) -> Result<Exit, Error> {
        out.outlive_reader();
        if self.rules {
            if self.json {
                let rule = |(rule, about)| RuleJson { rule, group: group_of(rule), about };
                super::json::write(out, &RulesDocument { rules: all_rules().map(rule).collect(), groups: GROUPS })?;
            } else {
                out.headless(&rule_rows())?;
            }
            return Ok(Exit::Done);
        }
        if self.json {
            self.format = CheckFormat::Json;
        }
        let policies = self.policy()?;
        // The other formats have the same shape for one pair as for many.
        let has_package = has_package(&self.files.files);
        let has_form_for_one = self.format == CheckFormat::Text && !has_package && self.baseline.is_none();
        if has_form_for_one && let Some(session) = self.files.open_one()? {
            return self.one(&session, &policies, out);
        }
        // An image and a PDB of another name are a pair where both are named, whatever the format.
        let is_pair_named = !has_package && !has_form_for_one && self.files.files.len() > 1;
        let named = if is_pair_named { self.files.open_one().ok().flatten() } else { None };
        Many { asked: &self, sources: &self.options(), policies: &policies }.run(named, out)
    }
}

/// The policy, and what it changes for the files that a pattern fits.
struct Policies {
    own: Policy,
    of_files: Vec<(PathPattern, Levels)>,
}

impl Policies {
    fn of(&self, path: &Path) -> Policy {
        let fitting = self.of_files.iter().filter(|(pattern, _)| pattern.is_of(path));
        self.own.with(fitting.flat_map(|(_, levels)| levels))
    }
}

impl Check {
    fn policy(&self) -> Result<Policies, Error> {
        let mut policy = Policy::default();
        if self.require_symbols {
            policy.set("symbols", Level::Deny);
        }
        for (names, level) in [(&self.deny, Level::Deny), (&self.warn, Level::Warn), (&self.allow, Level::Allow)] {
            if let Some(unknown) = names.iter().find(|name| !policy.set(name, level)) {
                let text = format!("there is no rule or group {unknown} · tip: `pdblens check --rules` lists them");
                return Err(Error::Usage(text));
            }
        }
        let config = if self.no_config { Config::default() } else { Config::find(self.config.as_deref())? };
        policy.thresholds = config.thresholds;
        let named = [&self.deny, &self.warn, &self.allow].map(|names| names.iter()).into_iter().flatten();
        let named: HashSet<&String> = named.collect();
        let of_files = config.of_files.iter().flat_map(|(_, levels)| levels);
        let mut any = Policy::default();
        let levels = config.levels.iter().map(|level| (true, level)).chain(of_files.map(|level| (false, level)));
        for (is_of_all, (name, level)) in levels.filter(|(_, (name, _))| !named.contains(name)) {
            if !(if is_of_all { &mut policy } else { &mut any }).set(name, *level) {
                let path = config.path.as_deref().unwrap_or(Path::new("")).display();
                let text =
                    format!("{path}: there is no rule or group {name} · tip: `pdblens check --rules` lists them");
                return Err(Error::Other(text));
            }
        }
        if self.deny.iter().any(|name| name == "quality") && policy.thresholds.is_empty() {
            return Err(Error::Usage("--deny quality needs the section [quality] in pdblens.toml".to_owned()));
        }
        let own_only = |levels: Levels| levels.into_iter().filter(|(name, _)| !named.contains(name)).collect();
        let of_files = config.of_files.into_iter().map(|(pattern, levels)| (pattern, own_only(levels))).collect();
        Ok(Policies { own: policy, of_files })
    }

    /// Options of the source finder, with a client if servers are to be asked.
    fn options(&self) -> SourceOptions {
        let client = |what| self.fetch.filter(|fetch| *fetch == what).map(|_| Http::new(limits()));
        SourceOptions { head: client(Fetch::Head), body: client(Fetch::Body), ..self.sources.options() }
    }

    fn one(&self, session: &Session, policies: &Policies, out: &mut Out) -> Result<Exit, Error> {
        let image = session.image().map(|image| &image.path);
        let path = image.or_else(|| session.symbol_file().map(|file| &file.path));
        let policy = policies.of(path.map_or(Path::new(""), |path| path));
        let mut remarks = check::check(session, &self.options());
        policy.measure(session, &self.options(), &mut remarks);
        let own = check::summary(&remarks);
        policy.apply(&mut remarks);
        let (findings, mut summary) = (findings(&remarks), check::summary(&remarks));
        if own != summary {
            summary = format!("{summary} (without the policy: {own}, as `list` counts)");
        }
        if self.quiet {
            remarks.retain(|remark| remark.grade == Grade::Finding);
        }
        self.print(session, &remarks, out)?;
        let tone = if findings > 0 { Tone::Bad } else { Tone::Dim };
        if findings > 0 || !self.quiet {
            out.parts(&[(&summary, tone)])?;
        }
        Ok(if findings > 0 { Exit::Findings } else { Exit::Done })
    }

    /// Prints the remarks; with `--steps` the reads at fault below each finding.
    fn print(&self, session: &Session, remarks: &[Remark], out: &mut Out) -> Result<(), Error> {
        if !self.steps {
            return out.headless(&remark_rows(session, remarks));
        }
        for remark in remarks {
            out.headless(&remark_rows(session, std::slice::from_ref(remark)))?;
            let span = if remark.grade == Grade::Finding { remark.span } else { None };
            if let Some(found) = span.and_then(|span| wrong_reads(session, remark.place, span)) {
                steps::print_wrong(out, &found)?;
            }
        }
        Ok(())
    }
}

/// The policy of the project, which is read whatever the command line names.
pub(super) fn policy_access() -> Access {
    Access::reading(policy_file::of_project().into_iter().collect())
}

/// Says on standard error that `pdblens.toml` makes `check` count otherwise; nothing where it does not, or cannot be read.
pub(super) fn say_policy(mut remarks: Vec<Remark>) {
    let Ok(Config { path: Some(path), levels, .. }) = Config::find(None) else { return };
    let (mut policy, own) = (Policy::default(), check::summary(&remarks));
    for (name, level) in &levels {
        policy.set(name, *level);
    }
    policy.apply(&mut remarks);
    let summary = check::summary(&remarks);
    if summary != own {
        say(&format!(
            "note: with the policy in {}, `check` counts {summary} here instead of {own}",
            visible(&path.display().to_string())
        ));
    }
}

fn rule_rows() -> Rows<'static> {
    let rules = all_rules().map(|(id, about)| (id, group_of(id), about));
    let groups = GROUPS.iter().map(|group| (group.id, "group", group.about));
    let row = |(id, group, about)| {
        Row::plain(vec![Cell::toned(id, Tone::Strong), Cell::toned(group, Tone::Dim), Cell::new(about)])
    };
    let columns = Head::list(["rule", "group", "about"]);
    Rows::of("rules", columns, rules.chain(groups).map(row).collect())
}

/// Verdicts, pair by pair and rule by rule.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "check"))]
pub(super) struct CheckDocument<'c> {
    /// Number of findings in all pairs; a pair lists at most twenty results of a rule. If there are any, the exit code is 3.
    findings: usize,
    /// Findings and notes of each rule that has any.
    rules: &'c [RuleTotal],
    pairs: &'c [Checked],
}

/// The rules of `check`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "check_rules"))]
pub(super) struct RulesDocument {
    rules: Vec<RuleJson>,
    groups: &'static [Group],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "rule"))]
struct RuleJson {
    rule: &'static str,
    /// Group that it belongs to.
    group: &'static str,
    about: &'static str,
}

const fn tone(grade: Grade) -> Tone {
    match grade {
        Grade::Good => Tone::Ok,
        Grade::Note => Tone::Warn,
        Grade::Finding => Tone::Bad,
    }
}

fn remark_rows<'s>(session: &'s Session, remarks: &[Remark]) -> Rows<'s> {
    let rows = remarks.iter().map(|remark| {
        // A rule that holds needs no location, and the overview is none.
        let is_elsewhere = remark.grade == Grade::Good || remark.place == Some(nodes::Place::Overview);
        let place = if is_elsewhere { None } else { remark.place };
        let bytes = match remark.span {
            Some(span) if remark.grade == Grade::Finding => Some(nodes::span_text(session, span)),
            _ => None,
        };
        let detail = [place.map(|place| place.to_string()), bytes].into_iter().flatten().collect::<Vec<_>>().join("  ");
        Row {
            place: remark.place,
            span: remark.span,
            cells: vec![
                Cell::toned(remark.grade.mark(), tone(remark.grade)),
                Cell::toned(remark.rule, Tone::Dim),
                Cell::toned(
                    remark.sentence.clone(),
                    if remark.grade == Grade::Finding { Tone::Bad } else { Tone::Text },
                )
                .beside(detail),
            ],
            ..Row::default()
        }
    });
    Rows::of("check", Head::list(["", "rule", "verdict"]), rows.collect())
}
