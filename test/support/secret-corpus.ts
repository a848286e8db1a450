import { type Random, randomFrom } from '../fuzz/random.ts';
import { ANNOUNCED } from './announced-secrets.ts';

/** A line as it could be printed, and the part of it that nobody may see. */
export interface SecretSample {
  readonly kind: string;
  readonly line: string;
  readonly secret: string;
}

const HEX = '0123456789abcdef';
const LOWER = '0123456789abcdefghijklmnopqrstuvwxyz';
const UPPER = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const URL64 = `${ALNUM}-_`;
const BASE64 = `${ALNUM}+/`;
const SETS: Readonly<Record<string, string>> = {
  h: HEX,
  l: LOWER,
  U: UPPER,
  a: ALNUM,
  w: URL64,
  b: BASE64,
  d: '0123456789',
};

/**
 * The published formats of tokens: `<a36>` is 36 random characters of a set. No sample stands here, so that nobody who
 * scans this repo takes one for real.
 */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'AWS access key': ['AKIA<U16>', 'ASIA<U16>'],
  'GitHub token': ['ghp_<a36>', 'gho_<a36>', 'ghu_<a36>', 'ghs_<a36>', 'ghr_<a76>'],
  'GitHub fine-grained token': ['github_pat_<a22>_<a59>'],
  'GitLab token': ['glpat-<w20>', 'glpat-<w27>.<l2>.<l9>'],
  'GitLab runner token': ['glrt-<w20>', 'glrt-t1_<w20>', 'GR1348941<w20>'],
  'GitLab other tokens': ['gldt-<w20>', 'glptt-<h40>', 'glcbt-<h2>_<w20>', 'glft-<w20>', 'glsoat-<w20>'],
  'Slack bot token': ['xoxb-<d12>-<d13>-<a24>'],
  'Slack user token': ['xoxp-<d12>-<d12>-<d13>-<h32>'],
  'Slack app token': ['xapp-1-A<U10>-<d13>-<h64>'],
  'Slack configuration token': ['xoxe.xoxp-1-<U163>', 'xoxe-1-<U146>'],
  'Slack webhook': ['https://hooks.slack.com/services/T<U8>/B<U10>/<a24>'],
  'Slack workflow': ['https://hooks.slack.com/workflows/T<U8>/A<U10>/<d18>/<a24>'],
  'Discord webhook': [
    'https://discord.com/api/webhooks/<d19>/<w68>',
    'https://discordapp.com/api/webhooks/<d18>/<w68>',
  ],
  'Discord bot token': ['MT<a22>.G<a5>.<w38>', 'OD<a22>.X<a5>.<w27>'],
  'Anthropic key': ['sk-ant-api03-<w93>AA', 'sk-ant-admin01-<w93>AA'],
  'OpenAI key': ['sk-proj-<w48>', 'sk-<a20>T3BlbkFJ<a20>', 'sk-svcacct-<w60>', 'sk-admin-<w60>'],
  'OpenRouter key': ['sk-or-v1-<h64>'],
  'Langfuse key': ['sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>'],
  'Groq key': ['gsk_<a52>'],
  'Perplexity key': ['pplx-<a48>'],
  'Replicate token': ['r8_<a37>'],
  'xAI key': ['xai-<a80>'],
  'Hugging Face token': ['hf_<a34>', 'api_org_<a34>'],
  'NVIDIA key': ['nvapi-<w64>'],
  'Tavily key': ['tvly-<a32>', 'tvly-dev-<a32>'],
  'LangSmith key': ['lsv2_pt_<h32>_<h10>'],
  'Pinecone key': ['pcsk_<a6>_<a63>'],
  'ElevenLabs key': ['sk_<h48>'],
  'Stripe key': ['sk_live_<a24>', 'rk_live_<a99>', 'sk_test_<a24>'],
  'Stripe webhook secret': ['whsec_<a32>'],
  'Google API key': ['AIza<w35>'],
  'Google OAuth token': ['ya29.<w120>'],
  'Google client secret': ['GOCSPX-<w28>'],
  'Azure client secret': ['<a3>8Q~<w34>'],
  'Azure storage key': [
    'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«<b86>==»;EndpointSuffix=core.windows.net',
  ],
  'Azure service bus': [
    'Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«<b43>=»',
  ],
  'Azure SAS': ['https://x.blob.core.windows.net/c?sv=2022-11-02&sp=r&sig=«<a43>%3D»'],
  'Alibaba key': ['LTAI<a20>'],
  'Tencent key': ['AKID<a32>'],
  'DigitalOcean token': ['dop_v1_<h64>', 'doo_v1_<h64>'],
  'Heroku key': ['HRKU-AA<w58>', 'HRKU-<h8>-<h4>-<h4>-<h4>-<h12>'],
  'Fly.io token': ['fo1_<w43>', 'FlyV1 fm2_<b200>=='],
  'Netlify token': ['nfp_<a40>'],
  'Vercel token': ['vercel_blob_rw_<a16>_<a30>'],
  'Tailscale key': ['tskey-auth-<a17>-<a32>', 'tskey-api-<a17>-<a32>'],
  'npm token': ['npm_<a36>'],
  'PyPI token': ['pypi-AgEIcHlwaS5vcmc<w80>'],
  'RubyGems key': ['rubygems_<h48>'],
  'crates.io token': ['cio<a32>'],
  'NuGet key': ['oy2<l43>'],
  'Docker token': ['dckr_pat_<w27>', 'dckr_oat_<w32>'],
  'Artifactory key': ['AKCp8<a68>', 'cmVmd<a59>'],
  'CircleCI token': ['CCIPAT_<a22>_<h40>'],
  'Buildkite token': ['bkua_<h40>'],
  'Sourcegraph token': ['sgp_<h40>', 'sgp_<h16>_<h40>'],
  'Sonar token': ['sqp_<h40>', 'squ_<h40>'],
  'Terraform token': ['<a14>.atlasv1.<w67>'],
  'Pulumi token': ['pul-<h40>'],
  'Vault token': ['hvs.<w91>', 'hvs.<w24>', 'hvb.<w140>'],
  'Doppler token': ['dp.pt.<a43>', 'dp.st.prd.<a43>'],
  'Infracost key': ['ico-<a32>'],
  'OpenShift token': ['sha256~<w43>'],
  '1Password token': ['ops_eyJ<b250>='],
  'Databricks token': ['dapi<h32>', 'dapi<h32>-2'],
  'PlanetScale token': ['pscale_tkn_<w43>', 'pscale_pw_<w43>'],
  'Supabase key': ['sbp_<h40>', 'sb_secret_<w22>_<w8>'],
  'Airtable token': ['pat<a14>.<h64>'],
  'Grafana token': ['glsa_<a32>_<h8>', 'glc_<b60>=='],
  'Sentry token': ['sntryu_<h64>', 'sntrys_<b80>_<b43>'],
  'New Relic key': ['NRAK-<U27>'],
  'Dynatrace token': ['dt0c01.<U24>.<U64>'],
  'Postman key': ['PMAK-<h24>-<h34>'],
  'Linear key': ['lin_api_<a40>'],
  'Notion token': ['ntn_<a46>', 'secret_<a43>'],
  'Figma token': ['figd_<w40>'],
  'Contentful token': ['CFPAT-<w43>'],
  'Dropbox token': ['sl.<w135>'],
  'Shopify token': ['shpat_<h32>', 'shpss_<h32>'],
  'Square token': ['sq0atp-<w22>', 'EAAA<w60>'],
  'Twilio key': ['SK<h32>'],
  'SendGrid key': ['SG.<w22>.<w43>'],
  'Mailgun key': ['key-<h32>'],
  'Mailchimp key': ['<h32>-us12'],
  'Brevo key': ['xkeysib-<h64>-<a16>'],
  'Resend key': ['re_<a8>_<a24>'],
  'Telegram bot token': ['<d10>:«AA<w33>»'],
  'Plaid token': ['access-production-<h8>-<h4>-<h4>-<h4>-<h12>'],
  'Facebook token': ['EAAB<a120>'],
  'age key': ['AGE-SECRET-KEY-1<U58>'],
  JWT: ['eyJ<w36>.eyJ<w80>.<w43>'],
  'Bowline key': ['bwl_pat_<w43>', 'bwl_owner_<w43>'],
};

/** How a token that needs no announcement turns up. */
const AROUND: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['found ', ' in the log'],
  ['{"x":"', '"}'],
  ["['", "',"],
  ['line\\n', '\\n'],
  ['?v=1&t=', '&u=2'],
  ['(', ').'],
];

const EACH = 5;

/** The same samples for the same seed: five of every kind at least, and one of every format. */
export function secretSamples(seed: number): SecretSample[] {
  const random = randomFrom(seed);
  const samples: SecretSample[] = [];
  for (const [kind, formats] of Object.entries(FORMATS)) {
    for (let i = 0; i < Math.max(EACH, formats.length); i++) {
      const [before, after] = AROUND[(samples.length + i) % AROUND.length] ?? ['', ''];
      const format = formats[i % formats.length] ?? '';
      const { line, secret } = filled(format, random);
      samples.push({ kind, line: before + line + after, secret });
    }
  }
  for (const [kind, formats] of Object.entries(ANNOUNCED)) {
    for (let i = 0; i < Math.max(EACH, formats.length); i++)
      samples.push({ kind, ...filled(formats[i % formats.length] ?? '', random) });
  }
  return samples;
}

/** Fills the random parts in. The secret is what « and » hold, or everything. */
function filled(format: string, random: Random): { line: string; secret: string } {
  const line = format.replace(/<([hlUawbd])(\d+)>/g, (_, set: string, length: string) => {
    const letters = [...(SETS[set] ?? '')];
    return Array.from({ length: Number(length) }, () => random.pick(letters)).join('');
  });
  const [, marked] = /«([^»]*)»/.exec(line) ?? [];
  return { line: line.replaceAll(/[«»]/g, ''), secret: marked ?? line };
}
