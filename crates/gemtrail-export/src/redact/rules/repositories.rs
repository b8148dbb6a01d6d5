//! Version control, and the trackers and design tools around it.

use crate::redact::rule::Entry;

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9]{36,}")
        .proof("ghp_{a36}", "ghp_fixture_name"),
    Entry::shape("github-token", &["github_pat_"], r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}")
        .proof("github_pat_{a22}_{a59}", "github_pat_example"),
    Entry::shape(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glft-", "glimt-", "glagent-", "glsoat-"],
        r"\bgl(?:pat|dt|rt|cbt|ptt|oas|ft|imt|agent|soat)-[\w.-]{20,}",
    )
    .proof("glpat-{w20}", "glpat-short"),
    Entry::shape("bitbucket-password", &["ATBB"], r"\bATBB[A-Za-z0-9_=]{24,}")
        .proof("ATBB{a32}", "ATBB"),
    Entry::shape("atlassian-token", &["ATATT3", "ATCTT3"], r"\bAT[AC]TT3[\w=-]{40,}")
        .proof("ATATT3xFfGF0{w180}={h8}", "ATATT3"),
    Entry::shape("linear-key", &["lin_api_", "lin_oauth_"], r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}")
        .proof("lin_api_{a40}", "lin_api_version"),
    Entry::shape("figma-token", &["figd_"], r"\bfigd_[\w-]{40,}")
        .proof("figd_{w40}", "figd_file"),
    Entry::shape("notion-token", &["ntn_", "secret_"], r"\b(?:ntn_[A-Za-z0-9]{43,}|secret_[A-Za-z0-9]{43})\b")
        .proof("ntn_{a46}", "secret_name_of_the_deployment_in_the_cluster_one"),
    Entry::shape("postman-key", &["PMAK-"], r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b")
        .proof("PMAK-{h24}-{h34}", "PMAK-1"),
    Entry::shape("circleci-token", &["CCIPAT_", "CCIPRJ_"], r"\bCCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}\b")
        .proof("CCIPAT_{a22}_{h40}", "CCIPAT_"),
    Entry::shape("buildkite-token", &["bkua_"], r"\bbkua_[a-f0-9]{40}\b")
        .proof("bkua_{h40}", "bkua_pipeline"),
];
