//! How often a schedule of five fields starts something.

use std::collections::BTreeSet;

use crate::cost::Time;

const MINUTES_OF_A_DAY: u32 = 24 * 60;

/// The shortest time between two starts of `MINUTE HOUR DAY MONTH WEEKDAY`.
///
/// Of the days only that they are whole days is used: a schedule that starts once a day or less
/// often gives a day, which is never too long. `None` for what is no such schedule.
pub fn shortest_period(schedule: &str) -> Option<Time> {
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    let [minute, hour, day, month, weekday] = fields[..] else {
        return None;
    };
    let minutes = field(minute, 0, 59)?;
    let hours = field(hour, 0, 23)?;
    if field(day, 1, 31).is_none() || !is_name_field(month, 1, 12) || !is_name_field(weekday, 0, 7)
    {
        return None;
    }
    let starts = hours
        .iter()
        .flat_map(|hour| minutes.iter().map(move |minute| hour * 60 + minute));
    let starts: Vec<u32> = starts.collect::<BTreeSet<u32>>().into_iter().collect();
    let (first, last) = (starts.first()?, starts.last()?);
    let over_midnight = MINUTES_OF_A_DAY - last + first;
    let within_a_day = starts.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
    let shortest = within_a_day.chain([over_midnight]).min()?;
    Some(Time::from_secs(u64::from(shortest) * 60))
}

/// `*`, `5`, `1-5`, `*/15`, `10-40/10`, and lists of these.
fn field(text: &str, least: u32, greatest: u32) -> Option<BTreeSet<u32>> {
    let mut values = BTreeSet::new();
    for part in text.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, step.parse::<u32>().ok().filter(|step| *step > 0)?),
            None => (part, 1),
        };
        let (from, to) = match (range, range.split_once('-')) {
            ("*" | "?", _) => (least, greatest),
            (_, Some((from, to))) => (from.parse().ok()?, to.parse().ok()?),
            // A step after one value goes on to the end.
            (value, None) => {
                let value = value.parse().ok()?;
                (value, if part.contains('/') { greatest } else { value })
            }
        };
        if from < least || to > greatest || from > to {
            return None;
        }
        values.extend((from..=to).step_by(step as usize));
    }
    Some(values)
}

/// A field that may also hold names of months or days.
fn is_name_field(text: &str, least: u32, greatest: u32) -> bool {
    let name = |part: &str| part.len() == 3 && part.chars().all(|c| c.is_ascii_alphabetic());
    let names = text.split([',', '-']).all(name);
    names || field(text, least, greatest).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_time_between_two_starts() {
        let minutes = |schedule| {
            shortest_period(schedule)
                .and_then(Time::as_nanos)
                .map(|n| n / 60_000_000_000)
        };
        for (schedule, expected) in [
            ("* * * * *", 1),
            ("*/15 * * * *", 15),
            ("0 * * * *", 60),
            ("0,50 * * * *", 10),
            ("0 */6 * * *", 360),
            ("*/7 * * * *", 4),
            ("0 22,1 * * *", 180),
            ("30 8 * * MON-FRI", 1440),
            ("0 0 1 1 *", 1440),
            ("10-20/5 3 * * 1", 5),
        ] {
            assert_eq!(minutes(schedule), Some(expected), "{schedule}");
        }
    }

    #[test]
    fn what_is_no_schedule_is_none() {
        for schedule in [
            "",
            "* * * *",
            "60 * * * *",
            "*/0 * * * *",
            "5-1 * * * *",
            "x * * * *",
            "* * * * * *",
            "@daily",
        ] {
            assert_eq!(shortest_period(schedule), None, "{schedule}");
        }
    }
}
