//! What a run found out: one data struct ([`Report`]), and one renderer a file that draws from it and from nothing
//! else, so that every output shows the same figures.

mod build;
pub mod compare;
pub mod csv;
mod data;
pub mod explain;
pub mod folder;
pub mod json;
pub(crate) mod number;
pub mod sequence;
pub mod table;
pub mod tool_audit;

pub use build::{Asked, CONFIDENCE};
pub(crate) use data::whole_where_it_is;
pub use data::{
    Agreement, Caveat, Cost, DiedCounts, EstimateFigures, EstimateReport, ExactFigure, FileId, Month, MonthBounds,
    PolicyReport, Rate, Report, SCHEMA, Sampling, ScenarioId, ToolReport, Verdict, schema,
};

#[cfg(test)]
mod tests;
