//! Which machine and account a home belongs to.

use crate::discover::Found;

/// Where a home was, when the archive is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The machine.
    pub host: Option<String>,
    /// The account.
    pub user: Option<String>,
}

impl Whereabouts {
    /// Those of a home on disk: these, unless the archive knows it from elsewhere.
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
        // Whose it is may have been said only once.
        let is_user = archived.user == user || archived.user.is_none() || user.is_none();
        archived.home.root == disk.home.root && archived.host == host && is_user
    }
}
