//! Many pairs, on all processors, told in the order in which they were named.

use std::cmp::Reverse;
use std::fmt::Write;
use std::path::PathBuf;

use super::baseline::Baseline;
use super::report::{CheckOutcome, GalleryVerdict, Pair, RuleTotal};
use super::{Check, CheckDocument, CheckFormat, Checked, Policies, github, junit, sarif};
use crate::cli::output::Out;
use crate::cli::status_line::StatusLine;
use crate::cli::{Error, Exit, json};
use crate::formats::reason::Reason;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::check::package::{self, Assembly};
use crate::query::check::{Grade, NATIVE_CODE, check, findings, left_out, summary};
use crate::session::inputs::{Packages, Unit};
use crate::session::{OpenError, Session};
use crate::source::SourceOptions;
use crate::text::safe::count;
use pdblens_session::parallel::{parallel_each, processors};

pub(super) struct Many<'m> {
    pub(super) asked: &'m Check,
    pub(super) sources: &'m SourceOptions,
    pub(super) policies: &'m Policies,
}

/// Files that are named one by one if they are left out for the same reason; more are one line.
const MAX_NAMED: usize = 3;

#[derive(Default)]
struct Totals {
    pairs: usize,
    packages: usize,
    faulty: usize,
    /// Files that were left out, by the reason.
    skipped: Vec<(Reason, Vec<PathBuf>)>,
    unreadable: usize,
    findings: usize,
    notes: usize,
    rules: Vec<RuleTotal>,
}

impl Many<'_> {
    /// Checks the pair `named`, or all pairs among the files.
    pub(super) fn run(&self, named: Option<Session>, out: &mut Out) -> Result<Exit, Error> {
        let format = self.asked.format;
        let mut totals = Totals::default();
        let mut baseline = self.asked.baseline.as_deref().map(Baseline::open).transpose()?;
        let mut counted = |mut checked: Checked| {
            if let Some(baseline) = &mut baseline {
                baseline.apply(&mut checked);
            }
            totals.add(&checked);
            checked
        };
        if format == CheckFormat::Text || format == CheckFormat::Github {
            self.subjects(named, out, |out, checked| {
                let checked = counted(checked);
                if format == CheckFormat::Text {
                    self.line(out, &checked)
                } else {
                    Ok(github::write(out, &checked, self.asked.notes)?)
                }
            })?;
        } else {
            let mut all = Vec::new();
            self.subjects(named, out, |_, checked| {
                all.push(counted(checked));
                Ok(())
            })?;
            totals.sort();
            match format {
                CheckFormat::Sarif => sarif::write(out, &all)?,
                CheckFormat::Junit => junit::write(out, &all)?,
                _ => json::write(
                    &mut *out,
                    &CheckDocument { findings: totals.findings, rules: &totals.rules, pairs: &all },
                )?,
            }
        }
        if format == CheckFormat::Text && !self.asked.quiet {
            totals.skipped(out)?;
        }
        let any = totals.pairs > 0 || totals.unreadable > 0;
        if format == CheckFormat::Text && !self.asked.quiet && totals.pairs > 1 && !totals.rules.is_empty() {
            totals.sort();
            out.table(&totals.rows())?;
        }
        if let Some(baseline) = baseline {
            baseline.finish()?;
        }
        if format == CheckFormat::Text && any && (totals.is_bad() || !self.asked.quiet) {
            out.parts(&[(&totals.sentence(), if totals.is_bad() { Tone::Bad } else { Tone::Dim })])?;
        }
        if totals.pairs == 0 && totals.unreadable == 0 {
            let why = match totals.packages {
                0 => "there is no managed image and no symbol file",
                _ => "the package has no assembly or symbol file that a program loads",
            };
            return Err(Error::NoAnswer(format!("nothing to check: {why}")));
        }
        Ok(match totals {
            Totals { unreadable: 1.., .. } => Exit::Failed,
            Totals { findings: 1.., .. } => Exit::Findings,
            _ => Exit::Done,
        })
    }

    /// Calls `each` for the pair `named`; or for all units among the files, which are checked on all processors, and then for each package.
    fn subjects(
        &self,
        named: Option<Session>,
        out: &mut Out,
        mut each: impl FnMut(&mut Out, Checked) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(session) = named {
            let image = session.image().map(|image| image.path.clone());
            let path = image.or_else(|| session.symbol_file().map(|file| file.path.clone())).unwrap_or_default();
            return each(out, self.opened(path, Ok(session), &[]).0);
        }
        let packages = Packages::among(&self.asked.files.files)?;
        // The gallery looks at both packages of a version.
        let others = packages.iter().flat_map(Packages::each).map(|package| package.path.clone());
        let units = self.asked.files.units_with(others)?;
        let (mut progress, mut done) = (StatusLine::new(), 0_usize);
        let mut assemblies = Vec::new();
        let check = |unit: &Unit| {
            let opened = unit.open().map_err(Error::from);
            let opened = opened.and_then(|session| self.asked.files.symbols.complete(session));
            self.opened(unit.path().to_owned(), opened, &packages)
        };
        parallel_each(&units, processors(), check, |(checked, assembly)| {
            assemblies.extend(assembly);
            progress.before(out)?;
            each(out, checked)?;
            done += 1;
            progress.checked(done, units.len(), out)
        })?;
        drop(progress);
        packages.iter().try_for_each(|packages| each(out, self.packages(packages, &assemblies)))
    }

    fn packages(&self, packages: &Packages, assemblies: &[Assembly]) -> Checked {
        let mut remarks = package::check(packages, assemblies);
        let text = package::verdict(packages, &remarks);
        let verdict = GalleryVerdict { is_refused: findings(&remarks) > 0, text };
        let path = packages.each().next().map(|package| package.path.clone()).unwrap_or_default();
        self.policies.of(&path).apply(&mut remarks);
        Checked { path, outcome: CheckOutcome::Package(Pair::of_packages(packages, remarks, verdict)) }
    }

    fn opened(
        &self,
        path: PathBuf,
        opened: Result<Session, Error>,
        packages: &[Packages],
    ) -> (Checked, Option<Assembly>) {
        let mut assembly = None;
        let outcome = match opened {
            Err(Error::Open(OpenError::NativeCode { .. })) if !self.asked.files.files.contains(&path) => {
                CheckOutcome::Skipped(Reason::new("native-code", NATIVE_CODE))
            }
            Err(error) => CheckOutcome::Unreadable(error.reason()),
            Ok(session) if let Some(why) = left_out(&session) => CheckOutcome::Skipped(why),
            Ok(session) if let Some(why) = package::left_out(&session, packages) => CheckOutcome::Skipped(why),
            Ok(session) => {
                assembly = Assembly::of(&session);
                let mut remarks = check(&session, self.sources);
                let policy = self.policies.of(&path);
                policy.measure(&session, self.sources, &mut remarks);
                let (own, own_findings) = (summary(&remarks), findings(&remarks));
                policy.apply(&mut remarks);
                let findings_without_policy = if own == summary(&remarks) { None } else { Some(own_findings) };
                CheckOutcome::Pair(Pair { findings_without_policy, ..Pair::of(&session, remarks) })
            }
        };
        (Checked { path, outcome }, assembly)
    }

    fn line(&self, out: &mut Out, checked: &Checked) -> Result<(), Error> {
        let path = checked.path.display().to_string();
        let pair = match &checked.outcome {
            CheckOutcome::Unreadable(why) => return out.parts(&[("✗ ", Tone::Bad), (&why.text, Tone::Bad)]),
            CheckOutcome::Skipped(_) => return Ok(()),
            CheckOutcome::Pair(pair) | CheckOutcome::Package(pair) => pair,
        };
        let verdict = pair.verdict.as_ref().map_or("", |verdict| verdict.text.as_str());
        if self.asked.quiet && pair.findings == 0 {
            return Ok(());
        }
        let (sign, tone) = if pair.findings > 0 { ("✗ ", Tone::Bad) } else { ("✓ ", Tone::Ok) };
        let sums = format!("  {}, {}", count(pair.findings as u64, "finding"), count(pair.notes() as u64, "note"));
        let both = if !verdict.is_empty() && pair.image.is_some() { pair.symbols.as_ref() } else { None };
        let both = both.map_or(String::new(), |symbols| format!(" + {symbols}"));
        out.parts(&[(sign, tone), (&path, Tone::Strong), (&both, Tone::Strong), (&sums, Tone::Dim)])?;
        if !verdict.is_empty() {
            out.prose(&[("    ", Tone::Dim)], &[(verdict, tone)])?;
        }
        for located in pair.worse_than_good().filter(|located| located.remark.grade == Grade::Finding) {
            let place = located.remark.place.map_or(String::new(), |place| format!(" {place}"));
            let rule = format!("    {:<18}  ", located.remark.rule);
            out.prose(&[(&rule, Tone::Dim)], &[(&located.remark.sentence, Tone::Bad), (&place, Tone::Dim)])?;
        }
        Ok(())
    }
}

impl Totals {
    fn add(&mut self, checked: &Checked) {
        match &checked.outcome {
            CheckOutcome::Pair(pair) => {
                self.pairs += 1;
                self.faulty += usize::from(pair.findings > 0);
            }
            CheckOutcome::Package(_) => self.packages += 1,
            CheckOutcome::Skipped(why) => match self.skipped.iter_mut().find(|(other, _)| other == why) {
                Some((_, paths)) => paths.push(checked.path.clone()),
                None => self.skipped.push((why.clone(), vec![checked.path.clone()])),
            },
            CheckOutcome::Unreadable(_) => self.unreadable += 1,
        }
        if let CheckOutcome::Pair(pair) | CheckOutcome::Package(pair) = &checked.outcome {
            self.findings += pair.findings;
            self.notes += pair.notes();
            RuleTotal::add(&mut self.rules, pair);
        }
    }

    /// Says what was left out, and why.
    fn skipped(&self, out: &mut Out) -> Result<(), Error> {
        for (why, paths) in &self.skipped {
            let why = format!("  not checked: {}", why.text);
            if let Some(first) = paths.first().filter(|_| paths.len() > MAX_NAMED) {
                let files = format!("{} files", paths.len());
                let first = format!(" · the first: {}", first.display());
                out.parts(&[("· ", Tone::Dim), (&files, Tone::Text), (&why, Tone::Dim), (&first, Tone::Dim)])?;
                continue;
            }
            for path in paths {
                out.parts(&[("· ", Tone::Dim), (&path.display().to_string(), Tone::Text), (&why, Tone::Dim)])?;
            }
        }
        Ok(())
    }

    /// Sorts the rules: those with the most findings first, then those with the most notes.
    fn sort(&mut self) {
        self.rules.sort_by_key(|total| Reverse((total.findings, total.notes)));
    }

    /// The rules with findings or notes.
    fn rows(&self) -> Rows<'static> {
        let row = |total: &RuleTotal| {
            let number =
                |number: usize, tone| Cell::toned(if number > 0 { number.to_string() } else { String::new() }, tone);
            Row::plain(vec![
                Cell::new(total.rule),
                number(total.findings, Tone::Bad),
                number(total.notes, Tone::Text),
                number(total.files, Tone::Dim),
                Cell::toned(total.example.clone(), Tone::Dim),
            ])
        };
        let columns = Head::list(["rule", "findings:", "notes:", "files:", "the first"]);
        Rows::of("rules", columns, self.rules.iter().map(row).collect())
    }

    const fn is_bad(&self) -> bool {
        self.findings > 0 || self.unreadable > 0
    }

    fn sentence(&self) -> String {
        let count = |number: usize, what| count(number as u64, what);
        let mut text = format!("{} checked, {} with findings", count(self.pairs, "pair"), self.faulty);
        if self.packages > 0 {
            let _ = write!(text, ", {}", count(self.packages, "package version"));
        }
        let skipped = self.skipped.iter().map(|(_, paths)| paths.len()).sum();
        for (number, what) in [(skipped, "left out"), (self.unreadable, "unreadable")] {
            if number > 0 {
                let _ = write!(text, ", {number} {what}");
            }
        }
        format!("{text}: {}, {}", count(self.findings, "finding"), count(self.notes, "note"))
    }
}
