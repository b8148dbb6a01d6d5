//! Prints what was typed in every session of a home.
#![allow(clippy::print_stdout, reason = "a client prints")]

use gemtrail_core::model::Role;
use gemtrail_store::{Library, Places, ReadDetail, SessionFilter};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let homes = std::env::args().skip(1).map(Into::into).collect();
    let library = Library::open(&Places {
        homes,
        ..Places::default()
    })?;
    for row in library.sessions(&SessionFilter::default()) {
        println!("{} {}", row.reference, row.title.as_deref().unwrap_or("–"));
        let messages = library.read(row.reference, ReadDetail::Words)?.messages;
        for message in messages.iter().filter(|it| it.role == Role::Human) {
            println!("    {}", message.text);
        }
    }
    Ok(())
}
