//! Sessions of the old form, a `history` of contents: no ids and no times but those in their file
//! names.

use serde_json::{Value, json};

use crate::support::Person;

const NAME: &str = "session-2025-09-18T02-45-3b44bc68";

fn history(words: &str) -> String {
    json!({"history": [
        {"role": "user", "parts": [{"text": words}]},
        {"role": "model", "parts": [{"text": "Done."}]},
    ]})
    .to_string()
}

fn home(files: &[(&str, &str)]) -> Person {
    let person = Person::new();
    for (name, content) in files {
        person.write(&format!(".gemini/tmp/app/chats/{name}.json"), content);
    }
    person
}

fn documents(person: &Person, arguments: &[&str]) -> Vec<Value> {
    let ran = person.run(arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    let lines = ran.out.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON Lines")
}

/// The same from the disk, and from an archive.
fn both(person: &Person, arguments: &[&str]) -> Vec<Value> {
    let disk = documents(person, &[arguments, &["--no-archive"]].concat());
    assert_eq!(person.run(&["sync"]).code, Some(0));
    let archived = documents(person, arguments);
    let plain = |rows: &[Value]| -> Vec<Value> {
        let keep = [
            "id", "ref", "stems", "started", "updated", "title", "messages",
        ];
        let fields = |row: &Value| keep.iter().map(|name| row[*name].clone()).collect();
        rows.iter().map(fields).collect()
    };
    assert_eq!(plain(&disk), plain(&archived));
    disk
}

#[test]
fn c_2_c_4_s003_11_id_and_time_are_those_of_the_file_name() {
    let person = home(&[(NAME, &history("fix this bug"))]);
    let rows = both(&person, &["list", "--json"]);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["id"], "3b44bc68");
    assert_eq!(rows[0]["stems"], json!([NAME]));
    assert_eq!(rows[0]["started"], "2025-09-18T02:45:00.000Z");
    assert_eq!(rows[0]["updated"], "2025-09-18T02:45:00.000Z");
    for arguments in [
        [
            "list",
            "--since",
            "2025-09-17",
            "--until",
            "2025-09-19",
            "--json",
        ]
        .as_slice(),
        &["search", "bug", "--json"],
    ] {
        assert_eq!(both(&person, arguments).len(), 1, "{arguments:?}");
    }
    assert_eq!(person.run(&["list", "--since", "2025-09-20"]).code, Some(1));
}

#[test]
fn c_2_every_name_opens_it() {
    let person = home(&[
        (NAME, &history("fix this bug")),
        (
            "session-2025-09-18T02-50-30-77aabbcc01",
            &history("another"),
        ),
    ]);
    let path = person
        .home()
        .join(format!(".gemini/tmp/app/chats/{NAME}.json"));
    let path = path.to_str().expect("UTF-8");
    let reference = documents(&person, &["list", "--json"])[1]["ref"].clone();
    let reference = reference.as_str().expect("a reference");
    for name in ["@2", "3b44bc68", "3b44", NAME, path, reference] {
        let document = &both(&person, &["show", name, "--json"])[0];
        assert_eq!(document["messages"][0]["text"], "fix this bug", "{name}");
        for command in [
            ["export", name, "--format", "events"].as_slice(),
            &["signals", name],
        ] {
            let ran = person.run(command);
            assert_eq!(ran.code, Some(0), "{ran:?}");
        }
    }
    for name in ["latest", "@1", "77aabbcc"] {
        let document = &both(&person, &["show", name, "--json"])[0];
        assert_eq!(document["messages"][0]["text"], "another", "{name}");
        assert_eq!(document["id"], "77aabbcc");
    }
}

#[test]
fn without_eight_characters_the_content_makes_the_id() {
    let person = home(&[
        ("session-one", &history("first")),
        ("session-two", &history("second")),
    ]);
    let rows = both(&person, &["list", "--json"]);
    let ids: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    for (row, id) in rows.iter().zip(&ids) {
        assert_eq!(id.len(), 36, "{id}");
        let document = &both(&person, &["show", id, "--json"])[0];
        assert_eq!(document["title"], row["title"]);
    }
}

#[test]
fn two_files_under_one_id_keep_all_their_messages() {
    let person = home(&[
        (NAME, &history("first")),
        ("session-2025-09-18T03-00-3b44bc68", &history("second")),
    ]);
    let document = &both(&person, &["show", "3b44bc68", "--json"])[0];
    let messages = document["messages"].as_array().expect("messages");
    let texts: Vec<_> = messages.iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts, ["first", "Done.", "second", "Done."]);
}
