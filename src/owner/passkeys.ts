import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { AuthPorts } from './auth-ports.ts';
import { isSignInChallenge, newSignInChallenge } from './sign-in-challenge.ts';

// The library is a fifth of the Worker and is needed a few times a year.
const library = () => import('@simplewebauthn/server');

/** Makes the options for a new passkey, for this session. */
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

/** Keeps a new passkey if the authenticator's answer is right. Tells whether it was. */
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

/** Makes the options for confirming the owner's presence, for this session. */
export async function confirmOptions({ origin, owner }: AuthPorts, session: string) {
  const known = await owner().passkeys();
  const challenge = await owner().newChallenge('confirm', session);
  return assertionOptions(origin, challenge, known);
}

/**
 * Makes the options for signing in. They do not even tell which keys exist: the authenticator knows its own.
 */
export function signInOptions({ origin }: AuthPorts, ownerKeyHash: string) {
  return assertionOptions(origin, newSignInChallenge(ownerKeyHash), []);
}

async function assertionOptions(
  origin: string,
  challenge: string,
  known: readonly { readonly id: string }[],
) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    challenge: fromBase64Url(challenge),
    allowCredentials: known.map(({ id }) => ({ id })),
    userVerification: 'required',
  });
}

/** Tells whether an authenticator's answer confirms the owner's presence. */
export function confirms(ports: AuthPorts, session: string, response: AuthenticationResponseJSON) {
  return isAnswered(ports, response, (challenge) =>
    ports.owner().takeChallenge(challenge, 'confirm', session),
  );
}

/** Tells whether an authenticator's answer signs its owner in. */
export async function signsIn(ports: AuthPorts, response: AuthenticationResponseJSON): Promise<boolean> {
  let answered = '';
  const right = await isAnswered(ports, response, (challenge) => {
    answered = challenge;
    return isSignInChallenge(challenge, ports.ownerKeyHash);
  });
  // Store this only for a right answer, so that wrong ones write nothing.
  return right && ports.owner().spendSignInChallenge(answered);
}

/** Tells whether one of the owner's authenticators answered a valid challenge. */
async function isAnswered(
  { origin, owner }: AuthPorts,
  response: AuthenticationResponseJSON,
  expectedChallenge: (challenge: string) => boolean | Promise<boolean>,
): Promise<boolean> {
  const { verifyAuthenticationResponse } = await library();
  const key = typeof response?.id === 'string' ? await owner().passkey(response.id) : null;
  if (!key) return false;
  const verified = await verifyAuthenticationResponse({
    response,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
    expectedChallenge,
    credential: { id: key.id, publicKey: new Uint8Array(key.publicKey), counter: key.counter },
  }).catch(() => undefined);
  if (!verified?.verified) return false;
  await owner().notePasskeyUse(key.id, verified.authenticationInfo.newCounter);
  return true;
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'base64url'));
}
