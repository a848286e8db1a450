import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { serviceSettings } from '../../../local-bridge/local/up/service-settings.ts';

it('passes on the settings of services, as they are, and nothing else', () => {
  const environment = {
    LITELLM_URL: 'http://mini:4000/v1',
    LITELLM_KEY: 'sk-a#b "c" $d \\n',
    LANGUAGE_MODEL: "it's",
    SEARXNG_URL: '',
    PATH: '/bin',
    OWNER_KEY_HASH: 'mine',
  };
  expect(parseEnv(serviceSettings(environment))).toEqual({
    LITELLM_URL: 'http://mini:4000/v1',
    LITELLM_KEY: 'sk-a#b "c" $d \\n',
    LANGUAGE_MODEL: "it's",
  });
});

it.each(["x\nOWNER_KEY_HASH='0'", 'x\rY=1', `'"\``])(
  'passes on nothing that could end its line: %j',
  (value) => {
    expect(serviceSettings({ LITELLM_URL: value })).toBe('');
  },
);
