//! State that panes and overlays share: the selection, the texts of documents, search paths, effects and messages.

pub(crate) mod breadcrumb;
pub(crate) mod comparison;
pub mod document_info;
pub(crate) mod effect;
pub mod key_list;
pub(crate) mod lessons;
pub mod message;
pub(crate) mod overlay;
pub(crate) mod page;
pub mod paths;
pub(crate) mod prospects;
pub mod selection;
pub mod text_group;
pub mod texts;
pub(crate) mod thing;
pub(crate) mod view;
