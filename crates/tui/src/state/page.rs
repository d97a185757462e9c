//! Differences between the screens of a terminal and those in a page of a browser.

use crate::engine::action::Action;

/// Actions that a page cannot do, with a sentence that names what does.
const UNAVAILABLE: [(Action, &str); 6] = [
    (Action::FetchSource, "a page asks no servers: `pdblens sources App.dll --fetch` in a terminal does"),
    (
        Action::Symbols,
        "a page reads no folders and asks no symbol servers: drop the files together, or `pdblens find --online App.dll` in a terminal",
    ),
    (Action::Editor, "a page starts no editor: `pdblens App.dll` in a terminal does"),
    (Action::Handout, "a page writes no files: `pdblens show App.dll PLACE --format html` in a terminal does"),
    (Action::Export, "a page writes no files: `pdblens list App.dll PLACE --tsv` in a terminal does"),
    (Action::OpenFile, "a page reads no paths: drop the files on it"),
];

/// Keys of the browser, and substitutes for those of a terminal, with an action that does the same.
const KEYS: [(&str, &str, Action); 4] = [
    ("F5 Ctrl-W", "In a browser: stay the browser's, as Ctrl-T, Ctrl-N and Ctrl-L do", Action::Cancel),
    ("Back", "In a browser: the back button is Back here, too", Action::Back),
    ("drop", "In a browser: opens files, a package or a folder, which stay in the page", Action::Cancel),
    ("tap", "In a browser: is a click; two fingers are the wheel", Action::Cancel),
];

/// Lines of the help: keys, empty for those of the action; what they do; the action.
pub(crate) fn lines() -> impl Iterator<Item = (&'static str, &'static str, Action)> {
    KEYS.into_iter().chain(UNAVAILABLE.into_iter().map(|(action, why)| ("", why, action)))
}

/// The sentence instead of an action; `None` for one that a page can do.
pub(crate) fn unavailable(action: Action) -> Option<&'static str> {
    UNAVAILABLE.iter().find(|(other, _)| *other == action).map(|(_, why)| *why)
}
