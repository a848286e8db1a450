import type { Fetch } from '../web/guarded-fetch.ts';
import { type Chat, chatClient } from './chat.ts';

/** The owner's settings, as environment variables of the gateway or of the computer. */
interface LanguageSettings {
  readonly LANGUAGE_URL?: string | undefined;
  readonly LANGUAGE_KEY?: string | undefined;
  readonly LANGUAGE_MODEL?: string | undefined;
}

/** Makes a client for the model that the settings name; `undefined` if they name none. */
export function chatBy(settings: LanguageSettings, fetch: Fetch): Chat | undefined {
  const { LANGUAGE_URL: base, LANGUAGE_KEY: key, LANGUAGE_MODEL: model } = settings;
  if (!base || !model) return undefined;
  return chatClient({ base, key, model }, { fetch, wait, now: Date.now });
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
}
