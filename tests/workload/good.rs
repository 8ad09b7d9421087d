//! What good files resolve to.
