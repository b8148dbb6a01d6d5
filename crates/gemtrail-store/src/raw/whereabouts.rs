//! Which machine and account a home belongs to.

use crate::discover::Found;

/// Where a home is, as told by the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The machine.
    pub host: Option<String>,
    /// The account.
    pub user: Option<String>,
}

impl Whereabouts {
    /// Those of a home on disk: these, unless the archive attributes it to another machine.
    pub(crate) fn of(&self, disk: &Found) -> Self {
        if disk.is_adopted {
            Self {
                host: disk.host.clone(),
                user: disk.user.clone(),
            }
        } else {
            self.clone()
        }
    }

    /// Whether a home of the archive is this one on disk.
    pub(crate) fn are_of(&self, archived: &Found, disk: &Found) -> bool {
        let Self { host, user } = self.of(disk);
        // An unknown user matches any.
        let is_user = archived.user == user || archived.user.is_none() || user.is_none();
        archived.home.root == disk.home.root && archived.host == host && is_user
    }
}
