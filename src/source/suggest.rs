//! What may have been meant by a name that nothing has.

/// The known name that the fewest edits make of `name`, if few are enough.
pub(super) fn closest(name: &str, known: &[String]) -> Option<String> {
    let best = known.iter().min_by_key(|k| edits(name, k))?;
    (edits(name, best) <= (name.chars().count() / 3).max(1)).then(|| best.clone())
}

/// How many insertions, deletions, replacements and exchanges of neighbours make `b` of `a` (the
/// optimal string alignment distance).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
