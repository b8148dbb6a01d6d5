//! Providers of models and of what agents use.

use crate::redact::rule::Entry;

#[rustfmt::skip]
pub(super) const RULES: &[Entry] = &[
    Entry::shape("anthropic-key", &["sk-ant-"], r"\bsk-ant-[\w-]{32,}")
        .proof("sk-ant-api03-{w93}AA", "sk-ant-api03"),
    Entry::shape("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], r"\bsk-(?:proj|svcacct|admin|None)-[\w-]{40,}")
        .proof("sk-proj-{w74}T3BlbkFJ{w74}", "sk-proj-name"),
    Entry::shape("openrouter-key", &["sk-or-"], r"\bsk-or-v\d-[a-f0-9]{64}\b")
        .proof("sk-or-v1-{h64}", "sk-or-v1-key"),
    Entry::shape("openai-key", &["sk-"], r"\bsk-[A-Za-z0-9]{32,}\b")
        .entropy(3.0)
        .proof("sk-{a20}T3BlbkFJ{a20}", "task-00000000000000000000000000000000000000"),
    Entry::shape("huggingface-token", &["hf_", "api_org_"], r"\b(?:hf|api_org)_[A-Za-z]{30,}[A-Za-z0-9]{0,10}\b|\bhf_[A-Za-z0-9]{34,40}\b")
        .proof("hf_{a34}", "hf_hub_download"),
    Entry::shape("groq-key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{40,}\b")
        .proof("gsk_{a52}", "gsk_renderer"),
    Entry::shape("replicate-token", &["r8_"], r"\br8_[A-Za-z0-9]{37}\b")
        .proof("r8_{a37}", "r8_unorm"),
    Entry::shape("xai-key", &["xai-"], r"\bxai-[A-Za-z0-9]{64,}\b")
        .proof("xai-{a80}", "xai-org"),
    Entry::shape("perplexity-key", &["pplx-"], r"\bpplx-[A-Za-z0-9]{40,}\b")
        .proof("pplx-{a48}", "pplx-70b-online"),
    Entry::shape("nvidia-key", &["nvapi-"], r"\bnvapi-[\w-]{60,}")
        .proof("nvapi-{w64}", "nvapi-key"),
    Entry::shape("langsmith-key", &["lsv2_"], r"\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b")
        .proof("lsv2_pt_{h32}_{h10}", "lsv2_api"),
    Entry::shape("tavily-key", &["tvly-"], r"\btvly-[\w-]{30,}")
        .entropy(3.5)
        .proof("tvly-{a32}", "tvly-search"),
    Entry::shape("elevenlabs-key", &["sk_"], r"\bsk_[a-f0-9]{48}\b")
        .proof("sk_{h48}", "sk_buff"),
    Entry::shape("firecrawl-key", &["fc-"], r"\bfc-[a-f0-9]{32}\b")
        .proof("fc-{h32}", "fc-list"),
    Entry::shape("jina-key", &["jina_"], r"\bjina_[\w-]{50,}")
        .proof("jina_{w60}", "jina_embeddings"),
];
