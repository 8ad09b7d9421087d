//! Memory of one device: the documents' quick figure, what is exactly known, and what one trial of a search takes.

pub mod document;
pub mod floor;
pub mod trial;
