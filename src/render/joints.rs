//! Names of machines that are longer than their column: broken between their parts, never within one.

/// Characters after which a name may be broken.
const JOINTS: [char; 6] = ['/', '-', '_', '.', '+', ' '];

/// Breaks the last cell of each row where the table would be wider than the terminal. Columns stand two blanks apart,
/// one before the first and one after the last.
pub fn fit_last(rows: &mut [Vec<String>], width: u16) {
    let last = rows.iter().map(Vec::len).max().unwrap_or(0).saturating_sub(1);
    let wide = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let before: usize = (0..last).map(|column| wide(column) + 2).sum();
    let room = usize::from(width).saturating_sub(before + 2);
    for row in rows.iter_mut().filter(|row| row.len() == last + 1) {
        if let Some(cell) = row.last_mut() {
            *cell = broken(cell, room);
        }
    }
}

/// A name in lines of at most so many characters, as far as its joints allow: after the seller's name where the rest
/// fits into a line, else as late as possible.
pub(super) fn broken(name: &str, room: usize) -> String {
    let length = |text: &str| text.chars().count();
    if length(name) <= room {
        return name.to_owned();
    }
    if let Some((seller, rest)) = name.split_once('/')
        && length(seller) < room
        && length(rest) <= room
    {
        return format!("{seller}/\n{rest}");
    }
    let mut lines = vec![String::new()];
    for part in name.split_inclusive(JOINTS) {
        match lines.last_mut() {
            Some(line) if line.is_empty() || length(line) + length(part.trim_end()) <= room => {
                line.push_str(part);
            }
            _ => lines.push(part.to_owned()),
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_broken_between_its_parts() {
        assert_eq!(broken("aws/g5.xlarge", 13), "aws/g5.xlarge");
        assert_eq!(broken("aws/g5.xlarge", 12), "aws/\ng5.xlarge");
        assert_eq!(broken("azure/Standard_NC40ads_H100_v5", 19), "azure/Standard_\nNC40ads_H100_v5");
        assert_eq!(
            broken("2 × nebius/gpu-l40s-a_1gpu-8vcpu-32gb", 20),
            "2 × nebius/gpu-l40s-\na_1gpu-8vcpu-32gb"
        );
        // What has no joint is one line.
        assert_eq!(broken("abcdefgh", 4), "abcdefgh");
    }

    #[test]
    fn the_last_column_takes_what_the_others_leave() {
        let row = |name: &str| vec!["T4".to_owned(), "1".to_owned(), name.to_owned()];
        let mut rows = vec![row("aws/g4dn.xlarge"), row("a/b")];
        // 1 + 2 + 2 + 1 + 2 + 15 + 1 = 24.
        fit_last(&mut rows, 24);
        assert_eq!(rows, [row("aws/g4dn.xlarge"), row("a/b")]);
        fit_last(&mut rows, 23);
        assert_eq!(rows, [row("aws/\ng4dn.xlarge"), row("a/b")]);
    }
}
