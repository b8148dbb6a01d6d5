//! The browser as a person sees it, through a vt100 parser.

mod beside;
mod chaos;
mod frames;
mod homes;
mod manners;
mod resuming;
mod robot;
mod screens;
mod searching;
mod table;
