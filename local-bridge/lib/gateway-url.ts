import { currentGateway } from './credentials.ts';
import { CliError, EXIT } from './exit.ts';
import { howToSignIn } from './running-up.ts';

/** Gives the gateway for commands: `BOWLINE_URL`, or the one last signed in to. */
export function gatewayUrl(): string | undefined {
  const set = process.env.BOWLINE_URL;
  return set ? webAddress(set, 'BOWLINE_URL') : currentGateway();
}

/** Gives an address without its path, the form for gateways everywhere here, or complains about it. */
export function webAddress(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw new CliError(
    `${what} is ${JSON.stringify(text)}, which is not a web address.`,
    'It looks like https://bowline.example.workers.dev.',
    EXIT.usage,
  );
}

/** Gives the gateway to commands that cannot work without one. */
export function requiredGateway(given?: string): string {
  const url = given === undefined ? gatewayUrl() : webAddress(given, 'The address');
  if (url) return url;
  throw new CliError('Which gateway?', `${howToSignIn()} Or set BOWLINE_URL.`, EXIT.usage);
}
