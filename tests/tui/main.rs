//! Key scripts → screens, on the real app: no terminal, no worker, no clock.

mod harness;
mod pictures;
mod screens;
mod sizes;
mod views;
