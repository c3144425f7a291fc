//! Which entries hold for a version.

use semver::{Version, VersionReq};

/// The entries among `entries` that hold: with a version the first whose range contains it
/// (an entry without a range holds for all); without one every entry, since any may be
/// installed and the worst counts.
pub fn holding<'a, T>(
    entries: impl Iterator<Item = &'a T>,
    range: impl Fn(&T) -> Option<&VersionReq>,
    version: Option<&Version>,
) -> Vec<&'a T> {
    match version {
        None => entries.collect(),
        Some(version) => entries
            .filter(|entry| range(entry).is_none_or(|range| matches(range, version)))
            .take(1)
            .collect(),
    }
}

/// Whether a range contains a version; a pre-release counts as the release it leads to.
pub fn matches(range: &VersionReq, version: &Version) -> bool {
    range.matches(version) || {
        let mut release = version.clone();
        release.pre = semver::Prerelease::EMPTY;
        range.matches(&release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_that_contains_it() {
        let ranges: Vec<VersionReq> = [">=2.0.0, <3.0.0", ">=1.0.0"]
            .iter()
            .filter_map(|r| VersionReq::parse(r).ok())
            .collect();
        let two = Version::new(2, 5, 0);
        assert_eq!(
            holding(ranges.iter(), |r| Some(r), Some(&two)),
            vec![&ranges[0]]
        );
        assert_eq!(holding(ranges.iter(), |r| Some(r), None).len(), 2);
        let rc = Version::parse("2.0.0-rc.1").unwrap();
        assert!(matches(&ranges[0], &rc));
    }
}
