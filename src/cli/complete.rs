//! Words that complete a command line: places, methods, documents and rules of the files that it names.

use std::path::PathBuf;

use super::command::{Error, Example, Exit, Out, Run};
use super::files::is_input;
use crate::learn::codec::CODECS;
use crate::learn::glossary;
use crate::nodes::function::NativeView;
use crate::nodes::resolve::resolve;
use crate::nodes::{self, Place, PlaceError, TableId, Token};
use crate::query::check::{GROUPS, all_rules};
use crate::session::{Session, standard_input};
use crate::symbols::SymbolReader;

/// Most words that are offered, and most rows that are looked at for them.
const MAX_OFFERED: usize = 1000;
const MAX_ROWS: usize = 200_000;

/// `pdblens complete -- WORD…`
#[derive(Debug, clap::Args)]
pub struct Complete {
    /// Words of the line after `pdblens`, the last as far as it is typed.
    #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

impl Run for Complete {
    /// None: scripts call it.
    const EXAMPLES: &'static [Example] = &[];

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if let Some((typed, before)) = self.words.split_last() {
            let is_plain = |word: &String| word.starts_with(typed.as_str()) && !word.contains(char::is_control);
            let mut words = offered(before, typed);
            words.retain(is_plain);
            words.sort_unstable();
            words.dedup();
            words.iter().take(MAX_OFFERED).try_for_each(|word| out.line(word))?;
        }
        Ok(Exit::Done)
    }
}

/// Words that can be in the place of `typed`, and others.
fn offered(before: &[String], typed: &str) -> Vec<String> {
    let option = before.last().map_or("", String::as_str);
    if matches!(option, "--deny" | "--warn" | "--allow") {
        let groups = GROUPS.iter().map(|group| group.id);
        return groups.chain(all_rules().map(|(rule, _)| rule)).map(str::to_owned).collect();
    }
    let first = before.first().map_or("", String::as_str);
    match first {
        "explain" => return glossary::terms().iter().map(|term| term.term.clone()).collect(),
        "decode" | "encode" if before.len() == 1 => return CODECS.iter().map(|codec| codec.name.to_owned()).collect(),
        _ => {}
    }
    let wants_places = option == "--at" || matches!(first, "list" | "show" | "dump");
    if !wants_places && !matches!(first, "where" | "break") {
        return Vec::new();
    }
    let files: Vec<PathBuf> =
        before.iter().map(PathBuf::from).filter(|word| !standard_input::is_named(word) && is_input(word)).collect();
    let session = if before.iter().any(|word| word == "--sample") {
        Session::sample()
    } else {
        match Session::open(&files) {
            Ok(session) if !files.is_empty() => session,
            _ => return Vec::new(),
        }
    };
    match first {
        _ if wants_places => places(&session, typed),
        "where" => code(&session, typed),
        _ => documents(&session).map(|name| format!("{name}:")).collect(),
    }
}

/// Places below the one that is typed up to its last `/`; those that `list FILE` names, where there is none.
fn places(session: &Session, typed: &str) -> Vec<String> {
    let Some((parent, rest)) = typed.rsplit_once('/') else { return below(session, Place::Places, None) };
    let mut found: Vec<String> = match parent {
        "method" | "function" => code(session, rest).iter().map(|name| format!("{parent}/{name}")).collect(),
        "document" => documents(session).map(|name| format!("document/{name}")).collect(),
        _ => Vec::new(),
    };
    // `table/Document` is below `tables`.
    let place = resolve(session, parent).or_else(|_| resolve(session, &format!("{parent}s")));
    let path = place.as_ref().map_or_else(|_| parent.to_owned(), ToString::to_string);
    found.extend(next_words(&path).map(|word| format!("{parent}/{word}")));
    found.extend(place.map_or_else(|_| Vec::new(), |place| below(session, place, Some(parent))));
    found
}

/// Words that can follow a path: `points` after `method/1`.
fn next_words(path: &str) -> impl Iterator<Item = &'static str> {
    let expected = match format!("{path}/?").parse::<Place>() {
        Err(PlaceError::UnknownWord { expected, .. }) => expected,
        _ => Vec::new(),
    };
    // The rest are names of arguments.
    expected.into_iter().filter(|word| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'))
}

/// Places of the rows of a list, with `typed` in the place of its own path.
fn below(session: &Session, list: Place, typed: Option<&str>) -> Vec<String> {
    let own = list.to_string();
    let Some(rows) = nodes::rows(session, list) else { return Vec::new() };
    let places = rows.iter().take(MAX_ROWS).filter_map(|row| row.place.or_else(|| row.cells.first()?.to));
    let path = |place: Place| {
        let text = place.to_string();
        match (typed, text.strip_prefix(&own)) {
            (Some(typed), Some(rest)) if rest.starts_with('/') => format!("{typed}{rest}"),
            _ => text,
        }
    };
    places.map(path).collect()
}

/// Names of methods and functions, from the step on that begins like `typed`: `Clock.Since` of `Ticker.Clock.Since`.
fn code(session: &Session, typed: &str) -> Vec<String> {
    let methods = session.metadata().map_or(0, |_| session.methods());
    let managed = (1..=methods).take(MAX_ROWS).map(|row| session.method_name(Token::new(TableId::METHOD_DEF, row)));
    let mut names: Vec<String> = managed.filter_map(|name| from_step(&name, typed)).collect();
    if let Some(native) = NativeView::of(session) {
        let functions = native.functions().iter().take(MAX_ROWS).map(|function| native.name_of(function));
        names.extend(functions.filter(|name| name.starts_with(typed)));
    }
    names
}

/// The part of a method's name, without parameters, that begins at a step like `typed`.
fn from_step(name: &str, typed: &str) -> Option<String> {
    let name = name.split('(').next()?;
    let starts = std::iter::once(0).chain(name.match_indices('.').map(|(at, _)| at + 1));
    let part = starts.filter_map(|at| name.get(at..)).find(|part| part.starts_with(typed))?;
    Some(part.to_owned())
}

fn documents(session: &Session) -> impl Iterator<Item = String> {
    let count = session.symbols().map_or(0, SymbolReader::documents).min(MAX_ROWS as u32);
    (1..=count).filter_map(|row| {
        let path = nodes::document::name(session, row)?;
        path.rsplit(['/', '\\']).next().map(str::to_owned)
    })
}

/// Parts of the completion scripts that ask for these words.
pub(super) mod scripts {
    /// Words of the files come before those that are known without them.
    pub const BASH: &str = r#"
_pdblens_named() {
    _pdblens "$@"
    [[ ${COMP_WORDS[COMP_CWORD]} == -* ]] && return
    local word words=()
    while IFS= read -r word; do
        printf -v word %q "$word"
        words+=("$word")
    done < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [[ ${#words[@]} -gt 0 ]] || return 0
    COMPREPLY=("${words[@]}")
    [[ ${words[0]} == *: ]] && compopt -o nospace
    return 0
}
complete -F _pdblens_named -o bashdefault -o default pdblens
"#;
    pub const ZSH: &str = r#"
_pdblens_named() {
    local -a named
    named=(${(f)"$(pdblens complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#named )); then
        if [[ ${named[1]} == *: ]]; then
            compadd -S '' -- $named
        else
            compadd -- $named
        fi
    elif (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
        _alternative 'commands:command:_pdblens_commands' 'files:file:_files'
    else
        _pdblens "$@" || _files
    fi
}
compdef _pdblens_named pdblens
"#;
    /// An option with a value asks for itself.
    pub const FISH: &str = r"
function __pdblens_named
    pdblens complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null
end
complete -c pdblens -a '(__pdblens_named)'
complete -c pdblens -n '__fish_pdblens_needs_command' -l at -x -a '(__pdblens_named)'
for option in deny warn allow
    complete -c pdblens -n '__fish_pdblens_using_subcommand check' -l $option -x -a '(__pdblens_named)'
end
";
    /// Follows the parameters of the script block.
    pub const POWERSHELL: &str = r#"
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($wordToComplete -eq '') { $typed += '' }
    $named = @(pdblens complete -- @typed 2>$null)
    if ($named.Count -gt 0) {
        $named | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
        return
    }
"#;
    /// Stands at the start of the module.
    pub const NUSHELL: &str = r#"
  def "nu-complete pdblens named" [context: string] {
    let named = (^pdblens complete -- ...($context | split row " " | skip 1) | lines)
    if ($named | is-empty) { null } else { $named }
  }
"#;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (typed, before) = words.split_last().unwrap();
        let mut offered = offered(before, typed);
        offered.retain(|word| word.starts_with(typed.as_str()));
        offered
    }

    #[test]
    fn methods_documents_places_and_rules() {
        assert_eq!(words("where --sample Clock.S"), ["Clock.Since"]);
        assert_eq!(words("where --sample Ti").len(), 3);
        assert_eq!(words("break --sample Cl"), ["Clock.cs:"]);
        assert!(words("list --sample meth").contains(&"methods".to_owned()));
        assert!(words("show --sample method/Clock.N").contains(&"method/Clock.Now".to_owned()));
        assert!(words("show --sample method/Clock.Since/").contains(&"method/Clock.Since/points".to_owned()));
        assert!(words("show --sample table/Doc").contains(&"table/Document".to_owned()));
        assert_eq!(words("show --sample table/Document/"), ["table/Document/1", "table/Document/2"]);
        assert!(words("check --sample --deny snupkg-e").contains(&"snupkg-empty".to_owned()));
        assert!(words("check --sample --deny de").contains(&"deterministic".to_owned()));
        assert!(words("decode poi").contains(&"points".to_owned()) && words("explain sequence").len() == 1);
        assert_eq!(words("info --sample Cl").len() + words("where Clock").len() + words("list no.dll me").len(), 0);
    }
}
