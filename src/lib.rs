//! doublefire simulates how a retried LLM stream pays twice, and what a dispatcher with a memory changes.
//!
//! The crate is layered in floors; a module uses lower floors only (`docs/architecture.md` has the table, a test
//! enforces it):
//!
//! - [`time`], [`turn`]: virtual instants and the nouns of the model;
//! - [`draw`], [`dist`], [`stats`]: addressed random draws, distributions, intervals;
//! - [`dispatch`]: the key and the sans-IO dispatcher;
//! - [`scenario`], `audit`, `ledger`: what is simulated, who judges it, where rows live;
//! - `sim`, `estimate`: events and formulas, which check each other and never meet;
//! - [`report`], [`plot`], [`page`], [`gate`] and [`cli`]: what people and CI see.

pub mod audit;
pub mod cli;
pub mod dispatch;
pub mod dist;
pub mod draw;
pub mod estimate;
pub mod gate;
pub mod ledger;
pub mod page;
pub mod plot;
pub mod report;
pub mod scenario;
pub mod sim;
pub mod stats;
pub mod time;
pub mod turn;
