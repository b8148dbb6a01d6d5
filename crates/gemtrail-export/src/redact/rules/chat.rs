//! Chat, telephony, mail and social networks.

use crate::redact::rule::Entry;

/// A Discord token begins with digits in base64, which can only begin like this.
const DIGITS_IN_BASE64: &[&str] = &["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("slack-token", &["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"], r"\bxox(?:[abceoprs][.-](?:xox[bp]-)?\d[\w-]{10,}|d-[\w%.+/=-]{40,})")
        .proof("xoxb-{d12}-{d13}-{a24}", "xoxb-your-token"),
    Entry::shape("slack-token", &["xapp-"], r"\bxapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{32,}\b")
        .proof("xapp-1-A{t10}-{d13}-{h64}", "xapp-1"),
    Entry::shape("slack-webhook", &["hooks.slack.com"], r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})")
        .proof("https://hooks.slack.com/services/T{t10}/B{t10}/{a24}", "https://hooks.slack.com/services/T/B/x"),
    Entry::shape("discord-token", DIGITS_IN_BASE64, r"\b(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5])(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){4,5}[\w-]{0,4}\.[\w-]{6}\.[\w-]{27,40}")
        .proof("MTA5NzQ4MjQ2MTA0NTMxNzY2.G{a5}.{w38}", "MTA5NzQ4MjQ2MTA0NTMxNzY2"),
    Entry::shape("discord-token", &[".G", ".X", ".Y"], r"\b[MNO][\w-]{23,27}\.[GXY][\w-]{5}\.[\w-]{27,40}")
        .before(28)
        .entropy(4.2)
        .proof("M{a25}.G{a5}.{w38}", "MyApplicationsMainWindow.GetApp.ofTheOtherApplicationsMain"),
    Entry::shape("discord-webhook", &["/api/webhooks/"], r"/api/webhooks/\d{16,20}/([\w-]{60,})")
        .proof("https://discord.com/api/webhooks/{d18}/{w68}", "https://discord.com/api/webhooks/"),
    Entry::shape("telegram-token", &[":AA"], r"\d{8,10}:AA[\w-]{33}")
        .before(10)
        .proof("bot{d10}:AA{w33}/getMe", "12345678:AAA battery"),
    Entry::shape("teams-webhook", &["webhook.office.com"], r"webhook\.office\.com/webhookb2/([\w@-]{70,}/IncomingWebhook/[\w-]{30,}/[\w-]{30,})")
        .proof("https://acme.webhook.office.com/webhookb2/{h36}@{h36}/IncomingWebhook/{h32}/{h36}", "webhook.office.com"),
    Entry::shape("webhook", &["hooks.zapier.com", "maker.ifttt.com", "hook.eu", "hook.us"], r"(?:hooks\.zapier\.com/hooks/catch/\d+/|maker\.ifttt\.com/trigger/\w+/(?:json/)?with/key/|hook\.(?:eu|us)\d\.make\.com/)([\w-]{6,})")
        .proof("https://hooks.zapier.com/hooks/catch/{d7}/{l7}/", "hooks.zapier.com/hooks"),
    Entry::shape("twilio-key", &["SK"], r"\bSK[0-9a-f]{32}\b")
        .entropy(2.8)
        .proof("SK{h32}", "SKIP"),
    Entry::shape("sendgrid-key", &["SG."], r"\bSG\.[\w-]{20,24}\.[\w-]{40,45}")
        .proof("SG.{w22}.{w43}", "SG.mail.send"),
    Entry::shape("mailgun-key", &["key-"], r"\bkey-[0-9a-f]{32}\b")
        .entropy(2.8)
        .proof("key-{h32}", "key-value"),
    Entry::shape("mailchimp-key", &["-us"], r"\b[0-9a-f]{32}-us\d{1,2}\b")
        .before(32)
        .proof("{h32}-us14", "region-us12"),
    Entry::shape("brevo-key", &["xkeysib-", "xsmtpsib-"], r"\bx(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b")
        .proof("xkeysib-{h64}-{a16}", "xkeysib-key"),
    Entry::shape("resend-key", &["re_"], r"\bre_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,30}\b")
        .entropy(3.8)
        .proof("re_{a8}_{a24}", "re_compile_pattern"),
    Entry::shape("facebook-token", &["EAA"], r"\bEAA[A-Za-z][A-Za-z0-9]{80,}")
        .entropy(4.3)
        .proof("EAAG{a120}", "EAAA"),
    Entry::shape("twitter-token", &["AAAAAAAAAAAAAAAAAAAA"], r"\bA{20,30}[A-Za-z0-9%]{60,}")
        .entropy(4.0)
        .proof("AAAAAAAAAAAAAAAAAAAAAB{a20}%2F{a60}", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    Entry::shape("twitch-token", &["oauth:"], r"\boauth:([a-z0-9]{30})\b")
        .entropy(2.8)
        .proof("pass oauth:{h30}", "oauth:token"),
];
