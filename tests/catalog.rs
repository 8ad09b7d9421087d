//! Prices and hardware: what is embedded, what files may say, what spellings mean.

mod embedded;
