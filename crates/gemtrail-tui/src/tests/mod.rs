//! The browser as a person sees it, through a vt100 parser.

mod beside;
mod busy;
mod chaos;
mod folds;
mod frames;
mod homes;
mod manners;
mod marking;
mod resuming;
mod robot;
mod screens;
mod searching;
mod table;
