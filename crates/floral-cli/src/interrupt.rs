//! Ctrl-C, or SIGTERM from a scheduler: the first requests an orderly stop, the second stops at once.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit;
use crate::output::message;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// A flag that Ctrl-C or SIGTERM raises.
pub fn flag() -> anyhow::Result<&'static AtomicBool> {
    static IS_SET: Mutex<bool> = Mutex::new(false);
    let mut is_set = IS_SET.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_set {
        ctrlc::set_handler(|| {
            if REQUESTED.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(exit::INTERRUPTED));
            }
            message(
                "stopping once the work under way is saved; press Ctrl-C again to stop at once",
            );
        })?;
        *is_set = true;
    }
    Ok(&REQUESTED)
}
