//! What each kind of diagnostic means at length: the text of `plan explain CODE`.

use super::Code;

impl Code {
    /// What it means, and how it is mended.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Syntax => {
                "The text is not TOML (or CSV, for price files). The place is where reading stopped; the slip is \
                 there or shortly before it."
            }
            Self::UnknownKey => {
                "The table has no such key, the list no such column or the command no such flag. Nothing is ignored silently, since a misspelt key would change the answer \
                 without a word; the nearest key is suggested."
            }
            Self::MissingKey => {
                "A key without which the table says nothing is not there. The message names it."
            }
            Self::WrongType => {
                "A value of another type than the key takes: a text where a number belongs, a number without the unit \
                 that the key needs. Quantities are texts with their unit, such as \"147 GB\"."
            }
            Self::BadValue => "A value outside of what the key allows; the allowed range or names follow.",
            Self::UnknownName => {
                "A name that nothing in the catalog or the file bears: an instance type, a region, a provider, an \
                 accelerator, a stage. The nearest name is suggested."
            }
            Self::AmbiguousName => {
                "A name that fits several things which are not the same, such as two memory sizes of one card. The \
                 message lists them: write one of them."
            }
            Self::Duplicate => "The same thing is stated twice, which leaves open which one counts.",
            Self::Cycle => {
                "Stages wait for one another in a circle (`after`), so that none of them could start."
            }
            Self::Conflict => "Two statements that cannot both hold. Keep one of them.",
            Self::BadPrice => {
                "A price that is negative, not a number, or zero without `free = true`. A price that is not known is \
                 left out, never written as zero."
            }
            Self::OddPrice => {
                "A price that is possible but unlikely: spot above on-demand, a month dearer than its hours, far off \
                 the usual price of the card. Look it up; a warning only."
            }
            Self::WrongSpec => {
                "Memory or a number of cards that contradicts the accelerator table or another statement about the \
                 same instance type."
            }
            Self::Undated => "Prices without a date or a source: their age cannot be told (B-C6).",
            Self::StalePrice => "Prices so old that they are likely to be wrong by now (B-C6). Look them up.",
            Self::NoRate => {
                "Amounts in currencies between which there is no exchange rate. Nothing is converted without one; \
                 `pricing/rates.toml` holds the dated rates."
            }
            Self::Unwritable => {
                "A file that cannot be written, such as one that exists already: nothing is ever written over."
            }
            Self::Unreadable => "A file or folder that cannot be read, with what the system says about it.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Named;

    #[test]
    fn every_code_says_something_of_its_own() {
        let mut texts: Vec<&str> = Code::ALL.iter().map(|(code, _)| code.about()).collect();
        assert!(texts.iter().all(|text| text.len() > 40 && text.ends_with('.')));
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), Code::ALL.len());
    }
}
