import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { AuthPorts } from './auth-ports.ts';
import type { Ceremony } from './passkey-store.ts';

// The library is a fifth of the Worker and needed a few times a year.
const library = () => import('@simplewebauthn/server');

/** Options for making a new passkey, for this session. */
export async function registrationOptions({ origin, owner }: AuthPorts, session: string) {
  const { generateRegistrationOptions } = await library();
  const known = await owner().passkeys();
  return generateRegistrationOptions({
    rpName: 'Bowline',
    rpID: new URL(origin).hostname,
    userName: 'owner',
    userDisplayName: 'Owner of this Bowline',
    challenge: fromBase64Url(await owner().newChallenge('register', session)),
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** Keeps a new passkey, if the authenticator's answer is right; says whether it was. */
export async function register(
  { origin, owner }: AuthPorts,
  session: string,
  name: string,
  response: RegistrationResponseJSON,
): Promise<boolean> {
  const { verifyRegistrationResponse } = await library();
  const verified = await verifyRegistrationResponse({
    response,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
    expectedChallenge: (challenge) => owner().takeChallenge(challenge, 'register', session),
  }).catch(() => undefined);
  if (!verified?.verified) return false;
  const { credential } = verified.registrationInfo;
  const publicKey = new Uint8Array(credential.publicKey).buffer;
  await owner().savePasskey({
    id: credential.id,
    publicKey,
    counter: credential.counter,
    transports: credential.transports ?? [],
    name,
  });
  return true;
}

/** Options for proving that the owner is there, to sign in (no session yet) or to confirm. */
export async function assertionOptions(
  { origin, owner }: AuthPorts,
  purpose: Ceremony,
  session: string | null,
) {
  const { generateAuthenticationOptions } = await library();
  // To somebody not signed in, not even which keys there are is told: the authenticator knows its own.
  const known = session === null ? [] : await owner().passkeys();
  return generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    challenge: fromBase64Url(await owner().newChallenge(purpose, session)),
    allowCredentials: known.map(({ id }) => ({ id })),
    userVerification: 'required',
  });
}

/** Whether an authenticator's answer is right, used once. */
export async function assert(
  { origin, owner }: AuthPorts,
  purpose: Ceremony,
  session: string | null,
  response: AuthenticationResponseJSON,
): Promise<boolean> {
  const { verifyAuthenticationResponse } = await library();
  const key = typeof response?.id === 'string' ? await owner().passkey(response.id) : null;
  if (!key) return false;
  const verified = await verifyAuthenticationResponse({
    response,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
    expectedChallenge: (challenge) => owner().takeChallenge(challenge, purpose, session),
    credential: { id: key.id, publicKey: new Uint8Array(key.publicKey), counter: key.counter },
  }).catch(() => undefined);
  if (!verified?.verified) return false;
  await owner().notePasskeyUse(key.id, verified.authenticationInfo.newCounter);
  return true;
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'base64url'));
}
