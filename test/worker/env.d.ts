import type { Env } from '../../src/wiring/env.ts';

declare global {
  namespace Cloudflare {
    interface Env extends BowlineEnv {}
    interface GlobalProps {
      mainModule: typeof import('./gateway-main.ts');
    }
  }
}

type BowlineEnv = Env;
