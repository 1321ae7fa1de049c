//! Reference dates of times, as in `hours since 2000-01-01 06:00:00`.

/// The first full year of the Gregorian calendar; before it, CF's standard calendar is Julian.
const FIRST_YEAR: i64 = 1583;

/// Seconds from 1970 to a date and time of the Gregorian calendar; none if the text is not a valid
/// date.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (date, rest) = match text.find([' ', 'T']) {
        Some(at) => (&text[..at], text[at + 1..].trim()),
        None => (text, ""),
    };
    let days = days(date)?;
    let (clock, zone) = match rest.find([' ', 'Z', '+', '-']) {
        Some(at) => (&rest[..at], rest[at..].trim()),
        None => (rest, ""),
    };
    Some(86400.0 * days as f64 + clock_seconds(clock)? - zone_seconds(zone)?)
}

/// Days from 1970 to a date such as `2000-01-01`, by days_from_civil of Hinnant (2014).
fn days(date: &str) -> Option<i64> {
    let numbers: Option<Vec<i64>> = date.split('-').map(digits).collect();
    let [year, month, day] = numbers?[..] else {
        return None;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if year < FIRST_YEAR || !(1..=12).contains(&month) || !(1..=length).contains(&day) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// A number that consists of up to four digits.
fn digits(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Seconds of a time of day such as `06:30` or `06:30:15.5`; an empty text is midnight.
fn clock_seconds(clock: &str) -> Option<f64> {
    if clock.is_empty() {
        return Some(0.0);
    }
    let (minutes, seconds) = match clock.splitn(3, ':').collect::<Vec<_>>()[..] {
        [hour] => (60 * digits(hour)?, 0.0),
        [hour, minute] => (60 * digits(hour)? + digits(minute)?, 0.0),
        [hour, minute, second] => (60 * digits(hour)? + digits(minute)?, second.parse().ok()?),
        _ => return None,
    };
    let is_time = minutes <= 24 * 60 && (0.0..=60.0).contains(&seconds);
    is_time.then_some(60.0 * minutes as f64 + seconds)
}

/// Seconds by which a time zone is ahead, such as `Z`, `UTC`, `+02:00` or `-3`.
fn zone_seconds(zone: &str) -> Option<f64> {
    let (sign, hours) = match zone {
        "" | "Z" | "UTC" | "GMT" => return Some(0.0),
        _ => match zone.split_at_checked(1)? {
            ("+", hours) => (1.0, hours),
            ("-", hours) => (-1.0, hours),
            _ => return None,
        },
    };
    let seconds = if hours.contains(':') || hours.len() <= 2 {
        clock_seconds(hours).filter(|_| !hours.is_empty())?
    } else {
        let number = digits(hours)?;
        (3600 * (number / 100) + 60 * (number % 100)) as f64
    };
    Some(sign * seconds)
}
