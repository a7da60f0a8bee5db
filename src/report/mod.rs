//! What a run found out: one data struct ([`Report`]), and one renderer a file that draws from it and from nothing
//! else, so that every output shows the same figures.

mod build;
pub mod caveats;
mod command;
pub mod compare;
pub mod csv;
mod data;
pub mod explain;
pub mod folder;
pub mod json;
pub mod markup;
pub mod number;
pub mod sequence;
pub mod series;
pub mod table;
pub mod tool_audit;

pub use build::{Asked, CONFIDENCE};
pub use command::quoted;
pub(crate) use data::whole_where_it_is;
pub use data::{
    Agreement, Assumption, Caveat, Cost, DiedCounts, EstimateFigures, EstimateReport, ExactFigure, FileId, Month,
    MonthBounds, PolicyReport, Precision, Rate, Report, SCHEMA, ScenarioId, ToolReport, Verdict, schema,
};

#[cfg(test)]
mod tests;
