//! Tabs: what their digits show, the table that leads out to its file, and the other order of the same things.

use crate::app::App;
use crate::engine::action::Action;
use crate::panes::lists;
use crate::panes::pane::PaneInput;
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use crate::state::view::{Tab, View};
use crate::ui::layout::Slot;
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;

impl App {
    /// Shows what a tab showed last; the digit of a table leads out to the file.
    pub(super) fn enter_tab(&mut self, tab: Tab) {
        if self.stage.navigation.view() == View::Tables && tab == Tab::File {
            self.show_table_in_file();
            return;
        }
        self.enter_view(self.stage.navigation.view_of_tab(tab));
    }

    /// Leads from a list that fills the view out to the file, with the list selected among its parts; false where none does.
    pub(super) fn leave_table(&mut self) -> bool {
        let navigation = &self.stage.navigation;
        let is_list = |here: Selection| list_in_file(navigation.view(), here.place) == Some(here.place);
        let is_list = navigation.selection().is_some_and(is_list);
        is_list && self.show_table_in_file()
    }

    fn show_table_in_file(&mut self) -> bool {
        let Some(list) =
            self.stage.navigation.selection().and_then(|here| list_in_file(self.stage.navigation.view(), here.place))
        else {
            self.enter_view(View::File);
            return false;
        };
        self.stage.show_in(View::File, list.into());
        self.stage.navigation.set_focus(Slot::Nav);
        self.stage.update_layout();
        self.stage.refresh_panes();
        true
    }

    /// Shows the same things in another order: methods by type or by file, a file to scale or as a treemap.
    pub(super) fn change_order(&mut self) -> Vec<Effect> {
        match self.stage.navigation.view() {
            view @ (View::Methods | View::Sources) => {
                self.enter_view(if view == View::Methods { View::Sources } else { View::Methods });
                self.stage.navigation.set_focus(Slot::Nav);
                self.stage.update_layout();
                self.stage.refresh_panes();
            }
            View::File => {
                return self.stage.tell(Slot::Main(0), PaneInput::Do(Action::Sort)).unwrap_or_default();
            }
            _ => self.stage.set_status(Tone::Dim, "nothing here has another order: s sorts a list"),
        }
        Vec::new()
    }
}

/// The list of a place of the Tables view.
fn list_in_file(view: View, place: Place) -> Option<Place> {
    if view == View::Tables { lists::list_of(place) } else { None }
}
