//! Causes of a hollow breakpoint.

/// Declares the causes with their names in JSON.
macro_rules! causes {
    ($($variant:ident = $name:literal;)+) => {
        /// Cause of a hollow breakpoint, in the order in which causes are checked.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "cause"))]
        pub enum Cause { $(#[serde(rename = $name)] $variant,)+ }

        impl Cause {
            /// Name in JSON.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

causes! {
    Id = "id";
    Checksum = "checksum";
    Evidence = "evidence";
    NoDocument = "no-document";
    SeveralDocuments = "several-documents";
    SourceHash = "source-hash";
    NoCode = "no-code";
    HiddenLine = "hidden-line";
    MappedLine = "mapped-line";
    Moved = "moved";
    Precompiled = "precompiled";
    NeverBinds = "never-binds";
    DebuggerAttribute = "debugger-attribute";
    HiddenPoints = "hidden-points";
    Optimized = "optimized";
    StateMachine = "state-machine";
    PathMap = "path-map";
    Unexplained = "unexplained";
}
