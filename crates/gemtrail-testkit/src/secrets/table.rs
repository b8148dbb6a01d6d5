//! Eighty planted secrets with a known format, as people and tools leave them. The text between `«`
//! and `»` is the secret; the formats are those that the issuers document.

use super::Form::{Base64, Base64Lines, Escaped, Nested, Plain};
use super::Place::{
    Answer, Argument, Context, Diff, Error, Logged, Output, Prompt, Reference, Thought,
};
use super::{Form, Place};

/// What it is, where it is, in which form, and the text around it.
pub(super) type Row = (&'static str, Place, Form, &'static str);

#[rustfmt::skip]
pub(super) const ROWS: [Row; 80] = [
    // Clouds.
    ("AWS access key id", Prompt, Plain, "My key is «AKIA{t16}», why is it refused?"),
    ("AWS temporary key id", Output, Plain, "AccessKeyId     «ASIA{t16}»\nExpiration      2026-06-01"),
    ("AWS secret key in a profile", Output, Plain, "[default]\nregion = eu-west-1\naws_secret_access_key = «{b40}»\n"),
    ("AWS secret key in a command", Argument, Plain, "export AWS_SECRET_ACCESS_KEY=«{b40}» && aws s3 ls"),
    ("AWS session token", Output, Escaped, "aws_session_token=«IQoJb3JpZ2luX2Vj{b320}»\n"),
    ("Google API key", Prompt, Plain, "Use GOOGLE_MAPS «AIza{w35}» for the map."),
    ("Google API key in a URL", Output, Escaped, "GET https://maps.example.com/js?key=«AIza{w35}»&v=3 200"),
    ("Google service account", Output, Nested, "{\n  \"type\": \"service_account\",\n  \"private_key\": \"-----BEGIN PRIVATE KEY-----\n«{P26}»\n-----END PRIVATE KEY-----\n\",\n  \"client_email\": \"ci@acme.example\"\n}"),
    ("Google OAuth client secret", Reference, Plain, "client_secret: «GOCSPX-{w28}»"),
    ("Google access token", Argument, Plain, "curl -H 'Authorization: Bearer «ya29.a0A{w160}»' https://www.googleapis.example/drive"),
    ("Google refresh token", Output, Plain, "\"refresh_token\": \"«1//0{w62}»\","),
    ("Azure storage key", Output, Plain, "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=«{b86}==»;EndpointSuffix=core.windows.net"),
    ("Azure client secret", Argument, Plain, "az login --service-principal -u app -p «{a3}8Q~{w34}» --tenant acme"),
    ("Azure shared access signature", Prompt, Plain, "https://acme.blob.core.windows.net/c/f.zip?sv=2024-11-04&sr=b&sig=«{a43}%3D»&se=2026-07-01"),
    ("DigitalOcean token", Diff, Plain, "+do_token = \"«dop_v1_{h64}»\""),
    ("Cloudflare token", Output, Plain, "CLOUDFLARE_API_TOKEN=«{w40}»"),
    ("Heroku key", Output, Escaped, "HEROKU_API_KEY=«HRKU-AA{w58}»"),
    ("Alibaba key id", Diff, Plain, "+  accessKeyId: '«LTAI{a20}»',"),
    // Version control.
    ("GitHub classic token", Prompt, Plain, "Push with «ghp_{a36}» please."),
    ("GitHub classic token, escaped", Prompt, Escaped, "It says bad credentials for «ghp_{a36}»."),
    ("GitHub OAuth token", Output, Plain, "github.com:\n    oauth_token: «gho_{a36}»\n    user: alice"),
    ("GitHub server token", Thought, Plain, "The log shows «ghs_{a36}», so the action is authenticated."),
    ("GitHub refresh token", Output, Nested, "{\"refresh\":\"«ghr_{a36}»\",\"url\":\"https://github.com/x\"}"),
    ("GitHub fine-grained token", Argument, Escaped, "git clone https://x-access-token:«github_pat_{a22}_{a59}»@github.com/acme/shop.git"),
    ("GitLab token", Diff, Plain, "-  token: none\n+  token: «glpat-{w20}»"),
    ("Bitbucket app password", Argument, Plain, "git push https://alice:«ATBB{a32}»@bitbucket.org/acme/shop"),
    ("Atlassian API token", Output, Plain, "JIRA_TOKEN=«ATATT3xFfGF0{w180}={h8}»"),
    // Models.
    ("Gemini key in settings", Output, Plain, "{\"security\":{\"auth\":{\"apiKey\":\"«AIza{w35}»\"}}}"),
    ("OpenAI legacy key", Argument, Plain, "OPENAI_API_KEY=«sk-{a20}T3BlbkFJ{a20}» node run.js"),
    ("OpenAI project key", Output, Escaped, "openai.api_key = '«sk-proj-{w74}T3BlbkFJ{w74}»'"),
    ("Anthropic key", Prompt, Plain, "Why does «sk-ant-api03-{w93}AA» give 401?"),
    ("Hugging Face token", Diff, Plain, "+login(token=\"«hf_{a34}»\")"),
    ("Groq key", Answer, Plain, "I put «gsk_{a52}» into .env as you asked."),
    ("Replicate token", Reference, Plain, "REPLICATE_API_TOKEN=«r8_{a37}»"),
    ("OpenRouter key", Logged, Plain, "/model use «sk-or-v1-{h64}»"),
    ("xAI key", Output, Plain, "export XAI_API_KEY=«xai-{a80}»"),
    // Chat, mail.
    ("Slack bot token", Prompt, Plain, "The bot has «xoxb-{d12}-{d13}-{a24}» now."),
    ("Slack user token", Output, Escaped, "token=«xoxp-{d12}-{d12}-{d13}-{h32}»&channel=C1"),
    ("Slack app token", Diff, Plain, "+SLACK_APP: «xapp-1-A{t10}-{d13}-{h64}»"),
    ("Slack webhook", Argument, Escaped, "curl -d '{}' https://hooks.slack.com/services/«T{t10}/B{t10}/{a24}»"),
    ("Slack webhook from PHP", Output, Nested, "{\"hook\":\"https://hooks.slack.com/services/«T{t10}/B{t10}/{a24}»\"}"),
    ("Discord bot token", Output, Plain, "client.login('«MTA5NzQ4MjQ2MTA0NTMxNzY2.G{a5}.{w38}»');"),
    ("Discord webhook", Prompt, Plain, "Post to https://discord.com/api/webhooks/{d18}/«{w68}»"),
    ("Telegram bot token", Argument, Plain, "curl https://api.telegram.org/bot«{d10}:AA{w33}»/getMe"),
    ("Twilio auth token", Output, Plain, "TWILIO_ACCOUNT_SID=AC0001\nTWILIO_AUTH_TOKEN=«{h32}»"),
    ("Twilio key id", Diff, Plain, "+const sid = '«SK{h32}»';"),
    ("SendGrid key", Reference, Plain, "sendgrid: «SG.{w22}.{w43}»"),
    ("Mailgun key", Thought, Plain, "The mail key is «key-{h32}» in the old file."),
    ("Mailchimp key", Output, Plain, "mc = Client('«{h32}-us14»')"),
    // Payment.
    ("Stripe live key", Prompt, Plain, "Refund with «sk_live_{a24}» failed."),
    ("Stripe restricted key", Output, Escaped, "STRIPE=«rk_live_{a99}»"),
    ("Stripe webhook secret", Diff, Plain, "+const endpointSecret = '«whsec_{a32}»';"),
    ("Square token", Argument, Plain, "square --token «EAAA{w60}» locations"),
    ("PayPal secret", Output, Plain, "PAYPAL_CLIENT_SECRET=«E{w79}»"),
    ("Shopify token", Context, Plain, "The shop's admin token is «shpat_{h32}»."),
    // Packages.
    ("npm token", Output, Plain, "//registry.npmjs.org/:_authToken=«npm_{a36}»"),
    ("npm legacy token", Output, Plain, "//npm.acme.example/:_authToken=«{h8}-{h4}-4{h3}-a{h3}-{h12}»"),
    ("PyPI token", Argument, Plain, "twine upload -u __token__ -p «pypi-AgEIcHlwaS5vcmc{w150}» dist/*"),
    ("crates.io token", Prompt, Plain, "cargo login «cio{a32}»"),
    ("Docker token", Output, Plain, "echo «dckr_pat_{w27}» | docker login -u acme --password-stdin"),
    ("RubyGems key", Reference, Plain, ":rubygems_api_key: «rubygems_{h48}»"),
    // Private keys.
    ("RSA key", Output, Plain, "-----BEGIN RSA PRIVATE KEY-----\n«{P25}»\n-----END RSA PRIVATE KEY-----\n"),
    ("OpenSSH key, escaped", Output, Escaped, "$ cat id_ed25519\n-----BEGIN OPENSSH PRIVATE KEY-----\n«{P6}»\n-----END OPENSSH PRIVATE KEY-----\n"),
    ("EC key in one line", Output, Nested, "JWT_KEY=\"-----BEGIN EC PRIVATE KEY-----\n«{P3}»\n-----END EC PRIVATE KEY-----\""),
    ("key in a diff", Diff, Plain, "+-----BEGIN PRIVATE KEY-----\n+«{b64}»\n+«{b64}»\n+«{b64}»\n+-----END PRIVATE KEY-----"),
    ("PGP key", Reference, Plain, "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«{P30}»\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----"),
    ("key whose end was cut off", Output, Plain, "-----BEGIN RSA PRIVATE KEY-----\n«{P4}»\n... [lines truncated] ..."),
    ("base64-wrapped key", Output, Base64, "apiVersion: v1\ndata:\n  tls.key: «-----BEGIN PRIVATE KEY-----\n{P26}\n-----END PRIVATE KEY-----\n»\nkind: Secret"),
    ("base64-wrapped key in lines", Output, Base64Lines, "$ base64 deploy.pem\n«-----BEGIN OPENSSH PRIVATE KEY-----\n{P10}\n-----END OPENSSH PRIVATE KEY-----\n»\n$ exit"),
    // Tokens and passwords recognised by context.
    ("JWT", Argument, Plain, "curl -H \"Authorization: Bearer «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{w60}.{w43}»\" localhost:8080"),
    ("Postgres URL", Output, Escaped, "DATABASE_URL=postgres://shop:«{a18}»@db.acme.example:5432/shop"),
    ("MongoDB URL", Prompt, Plain, "mongodb+srv://root:«{a10}%21{a6}»@cluster0.acme.example/test does not connect"),
    ("Redis URL", Diff, Plain, "+REDIS=redis://:«{a24}»@cache:6379/0"),
    ("password in .env", Output, Plain, "DB_HOST=db\nDB_PASSWORD=«{p16}»\nDB_PORT=5432"),
    ("password in YAML", Reference, Plain, "database:\n  username: shop\n  password: «{a14}»\n"),
    ("password in JSON", Output, Nested, "{\"user\":\"shop\",\"password\":\"«{p14}»\"}"),
    ("password as an argument", Argument, Plain, "psqlx --user shop --password «{a16}» --host db"),
    ("basic authorization", Error, Plain, "request failed: authorization: Basic «{b32}=»"),
    ("API key header", Argument, Plain, "curl -H 'X-Api-Key: «{a32}»' https://api.acme.example/v1"),
    ("netrc", Output, Plain, "machine api.acme.example login alice password «{a20}»"),
];
