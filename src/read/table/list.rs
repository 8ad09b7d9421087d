//! Lists of numbers of a fixed length.

use super::{Fields, number, plain};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::read::Located;

impl Fields<'_> {
    /// A list of exactly `N` numbers of zero or more. Every entry that is none is reported where it stands.
    pub fn numbers<const N: usize>(
        &mut self,
        key: &'static str,
        diags: &mut Diagnostics,
    ) -> Option<Located<[f64; N]>> {
        let (value, place) = self.get(key)?;
        let allowed = format!("a list of {N} numbers of zero or more");
        let Some(items) = value.as_array() else {
            diags.push(self.expected(key, place, value, &allowed));
            return None;
        };
        let mut read = Vec::with_capacity(N);
        let mut good = true;
        for item in items {
            let found = number(item.get_ref()).filter(|n| *n >= 0.0);
            good &= found.is_some();
            if found.is_none() {
                let text = plain(item.get_ref());
                let message = format!("`{key}` in {} holds {text}", self.what());
                let place = self.source.place(item.span().start);
                diags.push(
                    Diagnostic::error(Code::BadValue, place, message).allowed("numbers of zero or more"),
                );
            }
            read.extend(found);
        }
        if good && read.len() != N {
            let message = format!("`{key}` in {} has {} numbers", self.what(), read.len());
            diags.push(Diagnostic::error(Code::BadValue, place.clone(), message).allowed(allowed));
        }
        let value = <[f64; N]>::try_from(read).ok().filter(|_| good)?;
        Some(Located { value, place })
    }
}
