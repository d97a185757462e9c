//! All keys, made from the keymap, and what to type to find one.

use super::Scene;
use super::picker::{Answers, Picker};
use crate::model::{Cell, Head, Row, Rows, Tone};
use crate::tui::action::ActionDef;
use crate::tui::app::Effect;
use crate::tui::keymap::Keymap;

/// All keys.
pub struct Keys;

/// A picker of all keys; taking one does what the key does.
pub fn help() -> Picker<Keys> {
    Picker::new(Keys)
}

/// What has all words of `typed` in its keys, its name or its help.
fn found(keymap: &Keymap, typed: &str, ascii: bool) -> Vec<(&'static ActionDef, String)> {
    let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let bound = keymap.table(ascii).filter(|(_, keys)| !keys.is_empty());
    let has = |def: &ActionDef, keys: &str| {
        let text = format!("{} {}", def.name, def.help).to_lowercase();
        words.iter().all(|word| text.contains(word) || keys.to_lowercase().split(" · ").any(|key| key == word))
    };
    bound.filter(|(def, keys)| has(def, keys)).collect()
}

impl Answers for Keys {
    fn title(&self) -> &'static str {
        "All keys"
    }

    fn rows(&self, typed: &str, scene: &Scene<'_>) -> Rows<'static> {
        let found = found(scene.keymap, typed, scene.look.glyphs.ascii);
        let columns = vec![Head::text(""), Head::text("")];
        Rows::new("0 before digits: a count", columns, found.len(), move |index| {
            let Some((def, keys)) = found.get(index) else { return Row::default() };
            Row::plain(vec![Cell::toned(keys.clone(), Tone::Strong), def.help.into()])
        })
    }

    fn take(&self, index: usize, typed: &str, scene: &Scene<'_>) -> Vec<Effect> {
        let found = found(scene.keymap, typed, scene.look.glyphs.ascii);
        found.get(index).map(|(def, _)| Effect::Do(def.action)).into_iter().collect()
    }
}
