import type { SecretRule } from './find-secrets.ts';

/** Makes a rule for a kind that no other text looks like: its beginning, and what must follow. */
function certain(kind: string, begins: string | readonly string[], known: RegExp, more?: RegExp): SecretRule {
  return { ...likely(kind, begins, known, more), certain: true };
}

/**
 * Makes a rule for a kind that other text can look like. It is hidden where it is shown, but stops no push.
 */
function likely(kind: string, begins: string | readonly string[], known: RegExp, more?: RegExp): SecretRule {
  const common = { kind, begins: typeof begins === 'string' ? [begins] : begins, known };
  return more ? { ...common, more } : common;
}

const WORD = /[\w-]{1,4096}/y;
const ALNUM = /[A-Za-z0-9]{1,4096}/y;
const DOTTED = /[\w.-]{1,4096}/y;
const BASE64 = /[\w+/=.-]{1,4096}/y;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
/** Makes a pattern for exactly so many characters of a kind. */
const exactly = (kind: string, length: number) => new RegExp(`${kind}{${length}}(?!${kind})`, 'y');

const PRIVATE_KEY_BODY = '(?:(?!-----END )[\\s\\S]){0,16384}';
const KEY_LINE = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';

/**
 * Secrets recognised by their own form. Their makers publish the formats; the rule sets of gitleaks and of
 * GitHub's secret scanning showed which kinds exist.
 */
export const SHAPES: readonly SecretRule[] = [
  certain(
    'private-key',
    '-----BEGIN ',
    new RegExp(`${KEY_LINE}(?:${PRIVATE_KEY_BODY}(?:-----END ${KEY_LINE})?)`, 'y'),
  ),
  certain('putty-key', 'PuTTY-User-Key-File-', /[23]: [^\n]{1,60}(?:(?!\nPrivate-MAC)[\s\S]){0,16384}/y),
  certain('bowline-key', ['bwl_owner_', 'bwl_pat_'], /[\w-]{43}/y, WORD),
  likely('bowline-key', 'bwl_', /[a-z]{2,8}_[\w-]{20}/y, WORD),
  // A token of the gateway's OAuth server: owner, grant, secret.
  likely('bowline-token', 'owner:', /[A-Za-z0-9]{16}:[A-Za-z0-9]{32}/y, ALNUM),
  certain('age-key', 'AGE-SECRET-KEY-1', /[A-Z0-9]{40}/y, ALNUM),

  // Clouds
  certain('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], exactly('[A-Z0-9]', 16)),
  certain('google-api-key', 'AIza', exactly('[\\w-]', 35)),
  certain('google-client-secret', 'GOCSPX-', /[\w-]{28}/y, WORD),
  likely('google-token', 'ya29.', /[\w-]{20}/y, DOTTED),
  { kind: 'azure-client-secret', begins: ['Q~'], lead: 4, known: /[\w~.-]{3}\dQ~[\w~.-]{31}/y, more: DOTTED },
  certain('alibaba-key', 'LTAI', /[A-Za-z0-9]{20}(?![A-Za-z0-9])/y),
  certain('tencent-key', 'AKID', /[A-Za-z0-9]{32}(?![A-Za-z0-9])/y),
  certain('yandex-key', 'AQVN', /[\w-]{35}/y, WORD),
  certain('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], /[a-f0-9]{64}/y),
  certain('heroku-key', 'HRKU-', /[\w-]{36}/y, WORD),
  certain('fly-token', ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'], /[\w+/-]{43}/y, BASE64),
  certain('netlify-token', ['nfp_', 'nfc_', 'nfo_', 'nfb_', 'nfu_'], /[A-Za-z0-9]{36}/y, ALNUM),
  certain('vercel-token', 'vercel_blob_rw_', /[A-Za-z0-9]{16}_[A-Za-z0-9]{20}/y, ALNUM),
  certain('vercel-token', ['vcp_', 'vca_'], /[A-Za-z0-9]{24}/y, WORD),
  certain('cloudflare-origin-key', 'v1.0-', /[a-f0-9]{24}-[a-f0-9]{146}/y),
  certain('cloudflare-token', ['cfut_', 'cfat_', 'cfk_'], /[A-Za-z0-9_-]{40}/y, WORD),
  likely('render-key', 'rnd_', /[A-Za-z0-9]{28}/y, ALNUM),
  certain('scaleway-key', 'SCW', exactly('[A-Z0-9]', 17)),
  certain('scalingo-token', 'tk-us-', /[\w-]{48}/y, WORD),
  certain('tailscale-key', 'tskey-', /[a-z]{3,12}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20}/y, WORD),

  // Code, packages and builds
  certain('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /[A-Za-z0-9]{36}/y, ALNUM),
  certain('github-token', 'github_pat_', /[A-Za-z0-9_]{50}/y, WORD),
  certain(
    'gitlab-token',
    [
      'glpat-',
      'glrt-',
      'glrtr-',
      'gldt-',
      'glptt-',
      'glcbt-',
      'glft-',
      'glimt-',
      'glagent-',
      'glsoat-',
      'gloas-',
    ],
    /[\w-]{20}/y,
    DOTTED,
  ),
  certain('gitlab-token', 'glffct-', /[\w-]{20}/y, DOTTED),
  certain('gitlab-token', 'GR1348941', /[\w-]{20}/y, WORD),
  certain('atlassian-token', ['ATATT3', 'ATCTT3', 'ATBB'], /[\w-]{28}/y, BASE64),
  certain('npm-token', 'npm_', exactly('[A-Za-z0-9]', 36)),
  certain('pypi-token', ['pypi-AgEIcHlwaS5vcmc', 'pypi-AgENdGVzdC5weXBpLm9yZw'], /[\w-]{50}/y, WORD),
  likely('pypi-token', 'pypi-', /[\w-]{50}/y, WORD),
  certain('rubygems-key', 'rubygems_', /[a-f0-9]{48}/y),
  certain('crates-token', 'cio', exactly('[A-Za-z0-9]', 32)),
  certain('nuget-key', 'oy2', exactly('[a-z0-9]', 43)),
  certain('clojars-token', 'CLOJARS_', /[a-f0-9]{60}/y),
  certain('docker-token', ['dckr_pat_', 'dckr_oat_'], /[\w-]{27}/y, WORD),
  certain('artifactory-key', 'AKCp', /[A-Za-z0-9]{69}/y, ALNUM),
  certain('artifactory-key', 'cmVmd', /[A-Za-z0-9]{59}/y, ALNUM),
  certain('circleci-token', ['CCIPAT_', 'CCIPRJ_'], /[A-Za-z0-9]{20,24}_[a-f0-9]{40}/y),
  certain('buildkite-token', ['bkua_', 'bkct_', 'bkaj_'], /[a-z0-9]{40}/y, ALNUM),
  certain('sourcegraph-token', 'sgp_', /(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}/y),
  certain('sonar-token', ['sqp_', 'squ_', 'sqa_'], exactly('[a-f0-9]', 40)),
  {
    kind: 'terraform-token',
    begins: ['.atlasv1.'],
    lead: 14,
    known: /\w{14}\.atlasv1\.[\w-]{60}/y,
    more: WORD,
  },
  certain('pulumi-token', 'pul-', exactly('[a-f0-9]', 40)),
  certain('vault-token', ['hvs.', 'hvb.', 'hvr.'], /[\w-]{24}/y, WORD),
  certain(
    'doppler-token',
    'dp.',
    /(?:pt|ct|st|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40}/y,
    ALNUM,
  ),
  certain('infracost-key', 'ico-', exactly('[A-Za-z0-9]', 32)),
  certain('octopus-key', 'API-', exactly('[A-Z0-9]', 26)),
  certain('openshift-token', 'sha256~', /[\w-]{43}/y),
  certain('prefect-key', ['pnu_', 'pnb_'], exactly('[A-Za-z0-9]', 36)),
  certain('1password-token', 'ops_eyJ', /[\w+/-]{100}/y, BASE64),
  certain('1password-key', 'A3-', /[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}/y),

  // Language models
  certain('anthropic-key', 'sk-ant-', /[\w-]{20}/y, WORD),
  certain('openrouter-key', 'sk-or-', /[\w-]{32}/y, WORD),
  certain('langfuse-key', 'sk-lf-', new RegExp(UUID, 'y')),
  certain('openai-key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], /[\w-]{32}/y, WORD),
  certain('openai-key', 'sk-', exactly('[A-Za-z0-9]', 48)),
  likely('openai-key', 'sk-', /(?=[a-zA-Z_-]{0,64}\d)[\w-]{32}/y, WORD),
  certain('groq-key', 'gsk_', /[A-Za-z0-9]{52}/y, ALNUM),
  certain('perplexity-key', 'pplx-', /[A-Za-z0-9]{48}/y, ALNUM),
  certain('replicate-token', 'r8_', exactly('[A-Za-z0-9]', 37)),
  certain('xai-key', 'xai-', /[A-Za-z0-9]{80}/y, ALNUM),
  certain('huggingface-token', ['hf_', 'api_org_'], /[A-Za-z0-9]{34}/y, ALNUM),
  likely('huggingface-token', 'hf_', /[A-Za-z0-9]{30}/y, ALNUM),
  certain('nvidia-key', 'nvapi-', /[\w-]{60}/y, WORD),
  certain('cerebras-key', 'csk-', exactly('[a-z0-9]', 48)),
  certain('tavily-key', 'tvly-', /(?:[a-z]{3,5}-)?[A-Za-z0-9-]{28}/y, WORD),
  certain('langsmith-key', ['lsv2_pt_', 'lsv2_sk_'], /[a-f0-9]{32}_[a-f0-9]{10}/y),
  certain('pinecone-key', 'pcsk_', /[A-Za-z0-9]{5,7}_[A-Za-z0-9]{60}/y, ALNUM),
  certain('elevenlabs-key', 'sk_', exactly('[a-f0-9]', 48)),

  // Messages and mail
  certain(
    'slack-token',
    ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'],
    /[A-Za-z0-9-]{20}/y,
    WORD,
  ),
  likely(
    'slack-token',
    ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'],
    /[A-Za-z0-9-]{10}/y,
    WORD,
  ),
  certain('slack-token', ['xoxe.xoxb-', 'xoxe.xoxp-', 'xoxd-', 'xoxc-'], /[\w%-]{20}/y, /[\w%-]{1,4096}/y),
  certain('slack-token', 'xapp-', /\d-[A-Z0-9]{8,16}-\d{8,16}-[a-f0-9]{32}/y, ALNUM),
  certain(
    'slack-webhook',
    'hooks.slack.com/',
    /(?:services|workflows|triggers)\/\w{6,24}\/\w{6,24}\/\w{16}/y,
    /[\w/-]{1,512}/y,
  ),
  certain(
    'slack-webhook',
    'hooks.slack-gov.com/',
    /(?:services|workflows|triggers)\/\w{6,24}\/\w{6,24}\/\w{16}/y,
    /[\w/-]{1,512}/y,
  ),
  certain(
    'discord-webhook',
    ['discord.com/api/', 'discordapp.com/api/'],
    /(?:v\d{1,2}\/)?webhooks\/\d{16,20}\/[\w-]{60}/y,
    WORD,
  ),
  certain(
    'discord-token',
    ['MT', 'MD', 'Mz', 'Mj', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'],
    /[\w-]{21,26}\.[\w-]{6}\.[\w-]{27}/y,
    WORD,
  ),
  certain(
    'teams-webhook',
    '.webhook.office.com/webhookb2/',
    /[\w@-]{36,110}\/IncomingWebhook\/[a-f0-9]{32}/y,
    /[\w/-]{1,512}/y,
  ),
  certain('zapier-webhook', 'hooks.zapier.com/hooks/catch/', /\d{4,12}\/\w{6}/y, WORD),
  {
    kind: 'telegram-token',
    begins: [':aa'],
    label: /(?<=(?<!\d)\d{8,10}:AA)/y,
    known: /[\w-]{32,33}(?![\w-])/y,
    certain: true,
  },
  certain('sendgrid-key', 'SG.', /[\w-]{16,32}\.[\w-]{32}/y, WORD),
  certain('mailgun-key', 'key-', exactly('[a-z0-9]', 32)),
  { kind: 'mailchimp-key', begins: ['-us'], lead: 32, known: /[a-f0-9]{32}-us\d{1,2}/y, certain: true },
  certain('brevo-key', ['xkeysib-', 'xsmtpsib-'], /[a-f0-9]{64}-[A-Za-z0-9]{16}/y),
  certain('resend-key', 're_', /[A-Za-z0-9]{8}_[A-Za-z0-9]{24}/y, ALNUM),
  certain('twilio-key', 'SK', exactly('[0-9a-f]', 32)),
  certain('facebook-token', 'EAA', /[A-Za-z0-9]{80}/y, ALNUM),

  // Money and shops
  certain('stripe-key', ['sk_live_', 'rk_live_', 'sk_prod_', 'rk_prod_'], /[A-Za-z0-9]{16}/y, ALNUM),
  likely('stripe-key', ['sk_test_', 'rk_test_'], /[A-Za-z0-9]{10}/y, ALNUM),
  certain('webhook-secret', 'whsec_', /[A-Za-z0-9+/]{24}/y, BASE64),
  certain('square-token', ['sq0atp-', 'sq0csp-'], /[\w-]{22}/y, WORD),
  certain('square-token', 'EAAA', /[\w-]{60}/y, WORD),
  certain('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /[a-fA-F0-9]{32}/y, ALNUM),
  certain('plaid-token', 'access-', new RegExp(`(?:sandbox|development|production)-${UUID}`, 'y')),
  certain('flutterwave-key', ['FLWSECK-', 'FLWSECK_TEST-'], /[A-Za-z0-9]{12}/y, WORD),
  certain('easypost-key', ['EZAK', 'EZTK'], /[A-Za-z0-9]{54}/y, ALNUM),
  certain('shippo-token', ['shippo_live_', 'shippo_test_'], /[a-fA-F0-9]{40}/y),
  certain('duffel-token', ['duffel_live_', 'duffel_test_'], /[\w-]{43}/y, WORD),

  // Data, monitoring and everything else
  certain('databricks-token', 'dapi', /[a-f0-9]{32}(?:-\d)?(?![\w])/y),
  certain('planetscale-token', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], /[\w=.-]{32}/y, DOTTED),
  certain('supabase-key', 'sbp_', /(?:v\d_)?[a-f0-9]{40}/y),
  certain('supabase-key', 'sb_secret_', /[\w-]{22}/y, WORD),
  certain('airtable-token', 'pat', /[A-Za-z0-9]{14}\.[a-f0-9]{64}/y),
  certain('grafana-token', ['glc_', 'glsa_'], /[A-Za-z0-9+/]{32}/y, BASE64),
  certain('sentry-token', ['sntrys_', 'sntryu_'], /[\w+/=-]{40}/y, BASE64),
  certain('newrelic-key', ['NRAK-', 'NRIQ-', 'NRRA-', 'NRJS-', 'NRII-'], /[A-Za-z0-9_-]{19}/y, WORD),
  certain('dynatrace-token', 'dt0c01.', /[A-Z0-9]{24}\.[A-Z0-9]{64}/y),
  certain('launchdarkly-key', ['sdk-', 'api-'], new RegExp(UUID, 'y')),
  certain('posthog-key', 'phx_', /[A-Za-z0-9]{40}/y, ALNUM),
  certain('onesignal-key', 'os_v2_app_', /[a-z0-9]{60}/y, ALNUM),
  certain('postman-key', 'PMAK-', /[a-f0-9]{24}-[a-f0-9]{34}/y),
  certain('linear-key', ['lin_api_', 'lin_oauth_'], /[A-Za-z0-9]{40}/y, ALNUM),
  certain('notion-token', ['ntn_', 'secret_'], /[A-Za-z0-9]{43}/y, ALNUM),
  certain('figma-token', ['figd_', 'figo_', 'figu_'], /[\w-]{36}/y, WORD),
  certain('contentful-token', 'CFPAT-', /[\w-]{43}/y, WORD),
  certain('dropbox-token', 'sl.', /(?:u\.)?[\w=-]{130}/y, WORD),
  certain('adobe-secret', 'p8e-', /[a-zA-Z0-9-]{32}/y, WORD),
  certain('typeform-token', 'tfp_', /[\w.=-]{40}/y, DOTTED),
  certain('frameio-token', 'fio-u-', /[\w=-]{64}/y, WORD),
  certain('readme-key', 'rdme_', /[a-z0-9]{70}/y),
  likely('mapbox-token', 'sk.eyJ', /[\w-]{20}/y, DOTTED),
  // Stops where the next one could begin, so that no stretch is walked over twice.
  likely('jwt', 'eyJ', /(?:[A-Za-z0-9]|[-_](?!eyJ)){8,1024}\.eyJ[\w-]{8}/y, DOTTED),
];
