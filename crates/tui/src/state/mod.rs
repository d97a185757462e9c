//! State that panes and overlays share: the selection, the texts of documents, search paths, effects and messages.

pub mod breadcrumb;
pub mod document_info;
pub mod effect;
pub mod lessons;
pub mod message;
pub mod paths;
pub mod selection;
pub mod texts;
pub mod view;
