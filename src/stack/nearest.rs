//! The known word that a wrong one was probably meant to be.

/// The known word nearest to a written one, where one is near enough to be meant.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = written.to_lowercase();
    let scored = known.into_iter().map(|word| {
        let same_words = word.replace('_', "-") == lower.replace('_', "-");
        let score = strsim::jaro_winkler(&lower, &word.to_lowercase());
        let distance = strsim::damerau_levenshtein(&lower, &word.to_lowercase());
        (if same_words { 0 } else { distance }, score, word)
    });
    let near = scored.filter(|(distance, score, word)| {
        let letters = word.chars().count().max(1);
        *distance <= 1 + letters / 4 || *score >= 0.88
    });
    let best = near.min_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));
    best.map(|(_, _, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_finds_its_word() {
        let known = ["limit", "kind", "measures", "retries-on", "retries"];
        assert_eq!(nearest("limt", known), Some("limit"));
        assert_eq!(nearest("Limit", known), Some("limit"));
        assert_eq!(nearest("retries_on", known), Some("retries-on"));
        assert_eq!(nearest("mesures", known), Some("measures"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("x", []), None);
    }
}
