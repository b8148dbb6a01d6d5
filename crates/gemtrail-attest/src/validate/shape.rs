//! The vocabulary of the schema tables.

/// What a value has to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Anything, null included.
    Any,
    /// Text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// A non-negative integer.
    Count,
    /// Any number.
    Number,
    /// RFC 3339 text, or a non-negative integer.
    Time,
    /// RFC 3339 text, or any number.
    LooseTime,
    /// An object with any members.
    AnyMap,
    /// An object of this shape.
    Map(&'static Map),
    /// An array of such values.
    List(&'static Shape),
    /// An object whose `type` decides its shape.
    Tagged(&'static Tagged),
}

/// Objects distinguished by their `type`.
#[derive(Debug)]
pub(crate) struct Tagged {
    /// The known types.
    pub(crate) variants: &'static [(&'static str, &'static Map)],
    /// The shape of any other type, if others are allowed at all.
    pub(crate) other: Option<&'static Map>,
}

/// An object with named members.
#[derive(Debug)]
pub(crate) struct Map {
    /// Its members, in groups because many shapes share some.
    pub(crate) members: &'static [&'static [Member]],
    /// Whether other members are allowed.
    pub(crate) open: bool,
}

impl Map {
    /// All named members.
    pub(crate) fn members(&self) -> impl Iterator<Item = &'static Member> {
        self.members.iter().copied().flatten()
    }

    /// Whether the schema gives this name a meaning here.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.members().any(|member| member.name == name)
    }
}

/// An object that may have other members as well.
pub(super) const fn open(members: &'static [&'static [Member]]) -> Map {
    Map {
        members,
        open: true,
    }
}

/// An object that has these members and no others.
pub(super) const fn closed(members: &'static [&'static [Member]]) -> Map {
    Map {
        members,
        open: false,
    }
}

/// One named member.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

/// A mandatory member.
pub(crate) const fn required(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        required: true,
        shape,
    }
}

/// A member that may be absent (but not null).
pub(crate) const fn optional(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        required: false,
        shape,
    }
}
