//! Memory of one device: the documents' quick figure and what is exactly known.

pub mod document;
pub mod floor;
