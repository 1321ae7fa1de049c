//! The library's advice, extended by the Python keywords that follow it.

use floral::{Advice, Error};

/// The message of an error whose advice names Python keywords.
pub fn message(error: &Error) -> String {
    error.worded(worded)
}

/// Advice, with the Python keywords that follow it in brackets.
pub fn worded(advice: &Advice) -> String {
    match keywords(advice) {
        Some(keywords) => format!("{advice} ({keywords})"),
        None => advice.to_string(),
    }
}

fn keywords(advice: &Advice) -> Option<String> {
    const DIMENSIONS: &str = "dims={NAME: [\"input\", \"realization\", \"y\", \"x\"]}";
    Some(match advice {
        Advice::Replace | Advice::Discard | Advice::GenerateAgain => "remove it first".into(),
        Advice::NameInputAndHigh => "input=NAME, high=NAME".into(),
        Advice::NameInput => "input=NAME".into(),
        Advice::NameHigh => "high=NAME".into(),
        Advice::NameDimensions => DIMENSIONS.into(),
        Advice::TakeIndex { axis } => format!("high=\"NAME[{axis}=0]\", or {DIMENSIONS}"),
        Advice::TakeCovered { axis } => {
            format!("input=\"NAME[{axis}=10:50]\", high=\"NAME[{axis}=10:50]\"")
        }
        Advice::TakeLaterTimes { selection } => format!("high=\"{selection}\""),
        Advice::UseHighGrid => "grid=\"high\"".into(),
        Advice::SkipMissing => "skip_nan=True".into(),
        Advice::DeclarePeriodic { axis } => format!("periodic=\"{axis}\""),
        Advice::DeclareIndependent => "low_pairing=\"independent\"".into(),
        Advice::ChooseInput => "inputs=[3]".into(),
        Advice::GiveLow { .. } => "low=...".into(),
        _ => return None,
    })
}
