//! Ctrl-C, or the SIGTERM of a scheduler: the first asks for an orderly end, the second ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::tell;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// A flag that Ctrl-C or SIGTERM raises.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        tell("stopping as soon as what is under way is safe; Ctrl-C again to stop at once");
    })?;
    Ok(&REQUESTED)
}
