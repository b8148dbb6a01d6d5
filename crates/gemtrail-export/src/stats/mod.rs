//! Statistics as tables and pictures, for every face: nothing here knows a terminal or a page.

mod bar;
mod budget;
mod calendar;
mod chart;
pub mod csv;
mod explain;
mod line;
mod money;
mod overview;
mod rows;
mod svg;
mod table;

pub use bar::{bar, sparkline};
pub use budget::budget_lines;
pub use calendar::{Calendar, SHAPES, Streaks};
pub use chart::{DayBar, day_chart};
pub use explain::explained;
pub use line::Line;
pub use money::dollars;
pub use overview::{OVERVIEW, Overview};
pub use rows::by_table;
pub use svg::{Caption, svg};
pub use table::{Column, Table};
