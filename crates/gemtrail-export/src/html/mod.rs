//! One self-contained page, and its parts for a server.
//!
//! Nothing is loaded, and nothing runs except the page's own style and script, which the policy in
//! its head lists by hash. Templates escape all text; Markdown is rendered from a defused syntax
//! tree and sanitised last. The page is written piece by piece.
//!
//! A server sends the same pieces: [`PageFrame`] is the page around them; [`head`], [`prompts`],
//! [`block`], [`message`] and [`call`] are fragments; [`STYLE`] and [`SCRIPT`] can be served as
//! files. Recorded terminal colours become classes, because the policy allows no inline styles, so
//! a fragment must be built with the [`Palette`] whose style sheet its page includes. A [`Drawing`]
//! may leave long [`MessagePart`]s to requests of their own.
//!
//! ```
//! use gemtrail_export::html::{self, Drawing, PageFrame, Palette};
//! use gemtrail_export::present::{Options, Presentation};
//! # let session: gemtrail_core::model::Session =
//! #     serde_json::from_str(include_str!("../../tests/fixtures/demo.json")).unwrap();
//!
//! let options = Options::default();
//! let presentation = Presentation::new(&session, &options);
//! let palette = Palette::of(&presentation);
//! let message = presentation.message(0).expect("it has messages");
//! let fragment = html::message(&message, &Drawing::whole(options.tools, &palette)).into_string();
//! assert!(fragment.contains(&message.anchor));
//!
//! let frame = PageFrame::new(presentation.heading().title, palette.style());
//! let header = ("Content-Security-Policy", frame.policy());
//! assert!(header.1.starts_with("default-src 'none'"));
//! ```

mod call;
mod drawing;
mod frame;
mod message;
mod page;
mod prose;

pub use call::{call, file_diff};
pub use drawing::{Drawing, Later, MessagePart, Palette};
pub use frame::{FIND_SCRIPT, PageFrame, SCRIPT, STYLE, policy};
pub use message::message;
pub use page::{IndexEntry, block, head, prompts, write, write_index};
