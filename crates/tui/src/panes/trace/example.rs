//! The example of a frame in the empty pane.

use pdblens_nodes::function::NativeView;
use pdblens_nodes::{TableId, Token};
use pdblens_session::session::Session;

/// A frame of the open files as a runtime prints it.
pub(super) fn example(session: &Session) -> String {
    let name = |file: &str| file.rsplit('.').next_back().unwrap_or(file).to_owned();
    match (NativeView::of(session), session.image()) {
        (Some(native), _) => {
            let module =
                session.image().map(|image| image.name.as_str()).or(session.symbol_file().map(|pdb| &*pdb.name));
            let function = match native.functions().first() {
                Some(first) if native.is_read() => native.name_of(first),
                _ => "main".to_owned(),
            };
            format!("{}!{function}+0x4", name(module.unwrap_or("app")))
        }
        (None, Some(image)) if session.methods() > 0 => {
            let method = session.method_name(Token::new(TableId::METHOD_DEF, 1));
            format!("at {method} in {}:token 0x06000001+0x0", image.name)
        }
        _ => "at App.Program.Main(String[] args) in Program.cs:line 12".to_owned(),
    }
}
