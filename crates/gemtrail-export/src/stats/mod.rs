//! Statistics as tables and pictures, for every face: nothing here knows a terminal or a page.

mod charts;
mod lines;
mod overview;
mod tables;

pub use charts::{Calendar, DayBar, SHAPES, Streaks, bar, day_chart, sparkline};
pub use lines::{StatsLine, budget_lines, dollars, explained};
pub use overview::{OVERVIEW, Overview};
pub use tables::{TableColumn, TextTable, by_table, write_csv};
