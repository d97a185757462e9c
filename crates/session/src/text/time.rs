//! Time stamps as dates, without a calendar library.

/// Seconds since 1970 as a date and time in UTC. In a deterministic build the number is part of a hash: then the date is
/// nonsense, and often in the future.
///
/// ```
/// # use pdblens_session::text::time::stamp;
/// assert_eq!(stamp(0x5f5e_1000), "2020-09-13 12:26:40");
/// ```
pub fn stamp(seconds: u64) -> String {
    if seconds == 0 {
        return String::new();
    }
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The Gregorian date that is `days` after 1970-01-01. Years begin in March here, so that the leap day comes last.
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let month = if march < 10 { march + 3 } else { march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_days_and_centuries() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(-719_162), (1, 1, 1));
        assert_eq!(civil(47_482), (2100, 1, 1));
        assert_eq!(stamp(951_782_399), "2000-02-28 23:59:59");
    }
}
