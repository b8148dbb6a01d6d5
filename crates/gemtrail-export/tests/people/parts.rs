//! Parts of documents on their own, as faces show them.

use gemtrail_core::model::Role;
use gemtrail_export::html::{self, Drawing, Later, MessagePart, PageFrame, Palette};
use gemtrail_export::plain::{self, Layout, Line};
use gemtrail_export::present::{Block, MessageBlock, Options, Presentation, ToolDetail};
use maud::Markup;

use super::support::{demo, txt};

/// The messages of a document, each with its index in the session.
fn messages<'a>(presentation: &Presentation<'a>) -> Vec<(usize, MessageBlock<'a>)> {
    let places = presentation.session().messages.iter().enumerate();
    let mut places = places.map(|(at, message)| (at, message.id.as_str().to_owned()));
    let blocks = presentation.blocks().filter_map(|block| match block {
        Block::Message(message) => Some(*message),
        _ => None,
    });
    blocks
        .map(|block| {
            let is_it = |(_, id): &(usize, String)| block.anchor.ends_with(id.as_str());
            let (at, _) = places.find(is_it).expect("it is in the session");
            (at, block)
        })
        .collect()
}

#[test]
fn a_message_by_itself_is_that_of_the_document() {
    let (session, options) = (demo(), Options::default());
    let presentation = Presentation::new(&session, &options);
    let palette = Palette::of(&presentation);
    let messages = messages(&presentation);
    assert!(messages.len() > 3);
    let mut prompts = 0;
    for (at, mut block) in messages {
        let alone = presentation.message(at).expect("it is there");
        assert_eq!(alone.prompt, block.prompt);
        prompts += u64::from(block.role == Role::Human);
        // A single message always opens a turn.
        block.opens_turn = true;
        let fragment =
            |block| html::message(block, &Drawing::whole(ToolDetail::Full, &palette)).into_string();
        assert_eq!(fragment(&alone), fragment(&block));
        let lines = |block| {
            let mut lines: Vec<Line> = Vec::new();
            plain::draw_message(block, ToolDetail::Full, Layout::default(), &mut lines)
                .expect("memory");
            lines
        };
        assert_eq!(lines(&alone), lines(&block));
        assert!(!lines(&alone)[0].is_empty(), "no empty line before it");
    }
    assert!(prompts > 0);
    assert!(presentation.message(session.messages.len()).is_none());
}

#[test]
fn head_and_blocks_are_the_document() {
    let (session, options) = (demo(), Options::default());
    let presentation = Presentation::new(&session, &options);
    let mut lines: Vec<Line> = Vec::new();
    plain::draw_head(&presentation, Layout::default(), &mut lines).expect("memory");
    for block in presentation.blocks() {
        plain::draw_block(&block, options.tools, Layout::default(), &mut lines).expect("memory");
    }
    let text = |line: Line| {
        let spans = line.into_iter().map(|(_, text)| text);
        spans.chain(["\n".to_owned()]).collect::<String>()
    };
    let text: String = lines.into_iter().map(text).collect();
    assert_eq!(text, txt(&session, &options));

    let palette = Palette::of(&presentation);
    let frame = PageFrame::new(presentation.heading().title, palette.style());
    let mut parts = vec![
        frame.opening(),
        html::prompts(&presentation),
        frame.main_opening(),
        html::head(&presentation),
    ];
    let blocks = presentation.blocks();
    parts.extend(blocks.map(|block| html::block(&block, &Drawing::whole(options.tools, &palette))));
    parts.push(frame.closing());
    let parts: Vec<String> = parts.into_iter().map(Markup::into_string).collect();
    // A line feed follows each block of a whole page.
    let mut whole = Vec::new();
    html::write(&session, &options, &mut whole).expect("memory");
    let whole = String::from_utf8(whole).expect("a page is text");
    let mut rest = whole.as_str();
    for part in &parts {
        rest = rest.trim_start_matches('\n');
        rest = rest.strip_prefix(part.as_str()).expect("the next part");
    }
    assert_eq!(rest, "");
    assert!(parts[0].contains(&frame.policy()));
}

#[test]
fn a_call_by_itself_is_that_of_its_message() {
    let (session, options) = (demo(), Options::default());
    let presentation = Presentation::new(&session, &options);
    let palette = Palette::of(&presentation);
    let mut calls = 0;
    for (_, block) in messages(&presentation) {
        let whole =
            html::message(&block, &Drawing::whole(ToolDetail::Full, &palette)).into_string();
        for call in &block.calls {
            calls += 1;
            let fragment =
                html::call(call, &Drawing::whole(ToolDetail::Full, &palette)).into_string();
            assert!(whole.contains(&fragment));
            let mut lines: Vec<Line> = Vec::new();
            plain::draw_call(call, ToolDetail::Brief, Layout::default(), &mut lines)
                .expect("memory");
            assert_eq!(lines.len(), 1);
        }
    }
    assert!(calls > 0);
}

#[test]
fn long_parts_are_left_to_requests_of_their_own() {
    let (session, options) = (demo(), Options::default());
    let presentation = Presentation::new(&session, &options);
    let palette = Palette::of(&presentation);
    let whole = Drawing::whole(ToolDetail::Full, &palette);
    let light = Drawing {
        later: Some(Later {
            base: "/x/messages",
            query: "",
            limit: 0,
        }),
        ..whole
    };
    let mut parts = 0;
    for (at, _) in session.messages.iter().enumerate() {
        let block = presentation.message(at).expect("a message");
        let page = html::message(&block, &light).into_string();
        let (found, index) = presentation.find(&block.anchor).expect("it has an anchor");
        assert_eq!(
            (found.session().id.as_str(), index),
            (session.id.as_str(), at)
        );
        for address in page.split("data-src=\"").skip(1) {
            let address = address.split('"').next().expect("an address");
            let (anchor, part) = address
                .strip_prefix("/x/messages/")
                .and_then(|rest| rest.split_once('/'))
                .expect("anchor and part");
            assert_eq!(anchor, block.anchor);
            let part = MessagePart::parse(part).expect("a part");
            let drawn = part.draw(&block, &whole).expect("it is there");
            let whole = html::message(&block, &whole).into_string();
            // What is left out is exactly what the whole message has.
            let drawn = drawn.into_string();
            assert!(
                part == MessagePart::Text || whole.contains(&drawn),
                "{drawn}"
            );
            parts += 1;
        }
    }
    assert!(parts > 5, "{parts}");
    assert!(presentation.find("m-nobody").is_none() && presentation.find("a7-m-x").is_none());
}
