//! Adds the flags of this command to the advice of the library.

use floral::{Advice, Error};

/// The message of an error, whose advice names flags.
pub fn message(error: &Error) -> String {
    error.worded(worded)
}

/// Advice, with its flags in parentheses.
pub fn worded(advice: &Advice) -> String {
    match flags(advice) {
        Some(flags) => format!("{advice} ({flags})"),
        None => advice.to_string(),
    }
}

fn flags(advice: &Advice) -> Option<String> {
    const DIMENSIONS: &str = "--dims NAME=input,realization,channel,y,x";
    Some(match advice {
        Advice::Replace | Advice::Discard | Advice::GenerateAgain => "--force".into(),
        Advice::NameInputAndHigh => "--input NAME --high NAME".into(),
        Advice::NameInput => "--input NAME".into(),
        Advice::NameHigh => "--high NAME".into(),
        Advice::NameDimensions => DIMENSIONS.into(),
        Advice::TakeIndex { axis } => format!("--high 'NAME[{axis}=0]', or {DIMENSIONS}"),
        Advice::TakeCovered { axis } => {
            format!("--input 'NAME[{axis}=10:50]' --high 'NAME[{axis}=10:50]'")
        }
        Advice::TakeLaterTimes { selection } => format!("--high '{selection}'"),
        Advice::UseHighGrid => "--grid high".into(),
        Advice::SkipMissing => "--skip-nan".into(),
        Advice::DeclarePeriodic { axis } => format!("--periodic {axis}"),
        Advice::DeclareIndependent => "--low-pairing independent".into(),
        Advice::ChooseInput => "as in --inputs 3..4".into(),
        Advice::GiveLow { recorded: None } => "--low-command COMMAND".into(),
        Advice::GiveLow {
            recorded: Some(command),
        } => format!("--low-command recorded runs the recorded one, `{command}`"),
        Advice::KeepSpread => "floral train --fit-prior".into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_its_flag() {
        let error = Error::bad_file("out.zarr", "is a dataset with seed 7, not 8");
        assert_eq!(
            message(&error.advised(Advice::Replace)),
            "out.zarr: is a dataset with seed 7, not 8; choose another name, or replace it (--force)"
        );
    }
}
