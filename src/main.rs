//! The pdblens command.

fn main() -> pdblens::cli::Exit {
    pdblens::cli::run()
}
