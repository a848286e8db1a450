import { DurableObject } from 'cloudflare:workers';
import type { TokenScope } from '../../contracts/contract.ts';
import owner from '../../migrations/auth/0001_owner.sql';
import access from '../../migrations/auth/0002_access.sql';
import machines from '../../migrations/auth/0003_machines.sql';
import proof from '../../migrations/auth/0004_proof.sql';
import signInCode from '../../migrations/auth/0005_sign_in_code.sql';
import { errorText } from '../core/error-text.ts';
import { NewsSockets } from '../events/news-sockets.ts';
import { migrate } from '../storage/migrate.ts';
import * as apps from './app-access.ts';
import * as enrolments from './enrolments.ts';
import { type OAuthEnv, oauthServer } from './oauth-server.ts';
import * as passkeys from './passkey-store.ts';
import * as registry from './registry.ts';
import * as sessions from './sessions.ts';
import * as codes from './sign-in-codes.ts';
import * as throttle from './throttle.ts';
import { type TokenAnswer, TokenFlight, type TokenRequest } from './token-flight.ts';
import * as tokens from './tokens.ts';

/** Knows who the owner is: sessions, personal tokens, passkeys, and attempts to get in. */
export class OwnerObject extends DurableObject {
  readonly #sql: SqlStorage;
  readonly #flight = new TokenFlight();
  readonly #listeners = new NewsSockets(this.ctx);
  #server: { readonly origin: string; readonly oauth: ReturnType<typeof oauthServer> } | undefined;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    migrate(state.storage, [
      { name: '0001_owner', sql: owner },
      { name: '0002_access', sql: access },
      { name: '0003_machines', sql: machines },
      { name: '0004_proof', sql: proof },
      { name: '0005_sign_in_code', sql: signInCode },
    ]);
    this.#sql = state.storage.sql;
  }

  /** Takes somebody who holds a request open and has to hear when its credential may have ended. */
  override fetch(request: Request): Response {
    return this.#listeners.open(request);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000, 'left');
  }

  /** Tells everybody who holds a request open to look at its credential, and gives the result of the change. */
  #told<T>(result: T): T {
    this.#listeners.tell('look');
    return result;
  }

  openSession(from: { method: sessions.SignInMethod; agent: string; address: string }) {
    return sessions.openSession(this.#sql, from, Date.now());
  }

  makeSignInCode() {
    return codes.makeSignInCode(this.#sql, Date.now());
  }

  /** Opens a session for a code that counts, and uses it up. */
  openSessionByCode(code: string, from: { agent: string; address: string }) {
    const now = Date.now();
    if (!codes.takeSignInCode(this.#sql, code, now)) return null;
    return sessions.openSession(this.#sql, { method: 'code', ...from }, now);
  }

  session(secret: string) {
    return sessions.findSession(this.#sql, secret, Date.now()) ?? null;
  }

  closeSession(id: string) {
    return this.#told(sessions.closeSession(this.#sql, id));
  }

  proveSession(secret: string) {
    return this.#told(sessions.proveSession(this.#sql, secret, Date.now()) ?? null);
  }

  createToken(asked: { name: string; scopes: readonly TokenScope[]; days: number; replace?: boolean }) {
    if (asked.replace) tokens.revokeTokensNamed(this.#sql, asked.name);
    return this.#told(tokens.createToken(this.#sql, asked, Date.now()));
  }

  token(secret: string) {
    return tokens.findToken(this.#sql, secret, Date.now()) ?? null;
  }

  revokeToken(id: string) {
    return this.#told(tokens.revokeToken(this.#sql, id));
  }

  /** Answers a request for tokens. All of them come here, because two at once would spoil each other's grant. */
  tokenRequest(asked: TokenRequest): Promise<TokenAnswer> {
    const answered = this.#flight.answer(asked, async () => {
      const { url, headers, body } = asked;
      const env = this.env as unknown as OAuthEnv & { readonly PUBLIC_URL: string };
      // A gateway that was given no address is at the one that it is asked at.
      const { origin } = new URL(env.PUBLIC_URL || url);
      if (this.#server?.origin !== origin) this.#server = { origin, oauth: serverAt(origin) };
      const request = new Request(url, { method: 'POST', headers, body });
      const answer = await this.#server.oauth.fetch(request, env, this.ctx as unknown as ExecutionContext);
      return { status: answer.status, headers: [...answer.headers], body: await answer.text() };
    });
    // A refresh ends a token, and so does an app that gives its token back.
    return answered.finally(() => this.#told(undefined));
  }

  /** Lists everything that opens a door, for the owner to see. */
  access() {
    const now = Date.now();
    return {
      sessions: sessions.listSessions(this.#sql, now),
      tokens: tokens.listTokens(this.#sql, now),
      passkeys: passkeys.listPasskeys(this.#sql).map(({ publicKey: _, ...shown }) => shown),
    };
  }

  grantAccess() {
    return apps.grantAccess(this.#sql, Date.now());
  }

  hasAccess(id: string) {
    return apps.hasAccess(this.#sql, id);
  }

  endAccess(id: string) {
    apps.endAccess(this.#sql, id);
    this.#told(undefined);
  }

  /**
   * Ends all sessions, personal tokens, apps' access and pairings. Passkeys stay, because the owner comes
   * back with them. Gives the machines whose sockets must now be closed.
   */
  revokeAll(): string[] {
    codes.forgetSignInCode(this.#sql);
    sessions.closeAllSessions(this.#sql);
    tokens.revokeAllTokens(this.#sql);
    apps.endAllAccess(this.#sql);
    registry.markAllRevoked(this.#sql, Date.now());
    return this.#told(registry.revokedMachines(this.#sql));
  }

  machines() {
    return registry.listMachines(this.#sql);
  }

  machine(id: string) {
    return registry.machineById(this.#sql, id) ?? null;
  }

  machineWithKey(publicKey: string) {
    return registry.machineByKey(this.#sql, publicKey) ?? null;
  }

  renameMachine(id: string, name: string) {
    return registry.renameMachine(this.#sql, id, name);
  }

  setDefaultMachine(id: string | null) {
    return registry.setDefaultMachine(this.#sql, id);
  }

  revokeMachine(id: string) {
    return registry.markRevoked(this.#sql, id, Date.now());
  }

  forgetMachine(id: string) {
    registry.forgetMachine(this.#sql, id);
  }

  openEnrolment(asked: { name: string; publicKey: string; address: string }) {
    return enrolments.openEnrolment(this.#sql, asked, Date.now());
  }

  enrolments() {
    return enrolments.listEnrolments(this.#sql, Date.now());
  }

  enrolment(code: string) {
    return enrolments.enrolmentByCode(this.#sql, code, Date.now()) ?? null;
  }

  enrolmentState(secret: string) {
    return enrolments.enrolmentState(this.#sql, secret, Date.now());
  }

  confirmEnrolment(asked: { code: string; publicKey: string; name: string }) {
    return enrolments.confirmEnrolment(this.#sql, asked, Date.now());
  }

  denyEnrolment(code: string) {
    return enrolments.denyEnrolment(this.#sql, code, Date.now());
  }

  newChallenge(purpose: passkeys.Ceremony, session: string) {
    return passkeys.newChallenge(this.#sql, purpose, session, Date.now());
  }

  takeChallenge(value: string, purpose: passkeys.Ceremony, session: string) {
    return passkeys.takeChallenge(this.#sql, value, purpose, session, Date.now());
  }

  spendSignInChallenge(value: string) {
    return passkeys.spendSignInChallenge(this.#sql, value, Date.now());
  }

  savePasskey(key: Omit<passkeys.Passkey, 'seenAt' | 'createdAt'>) {
    passkeys.savePasskey(this.#sql, key, Date.now());
  }

  passkey(id: string) {
    return passkeys.findPasskey(this.#sql, id) ?? null;
  }

  passkeys() {
    return passkeys.listPasskeys(this.#sql);
  }

  notePasskeyUse(id: string, counter: number) {
    passkeys.notePasskeyUse(this.#sql, id, counter, Date.now());
  }

  removePasskey(id: string) {
    return passkeys.removePasskey(this.#sql, id);
  }

  /**
   * Counts an attempt against all of its limits. Gives the milliseconds to wait if one of them is used up.
   */
  attempt(asked: readonly { what: string; limit: throttle.Limit }[]): number {
    const now = Date.now();
    const wait = Math.max(...asked.map(({ what, limit }) => throttle.waitFor(this.#sql, what, limit, now)));
    // Do not count a refused attempt, or knocking alone would keep the door shut.
    if (wait <= 0) for (const { what } of asked) throttle.recordAttempt(this.#sql, what, now);
    return Math.max(0, wait);
  }

  forgive(what: string) {
    throttle.forgetAttempts(this.#sql, what);
  }
}

function serverAt(origin: string) {
  return oauthServer(origin, nobodyRegisters, {
    addressOf: nobodyRegisters,
    report: (error) =>
      console.error(JSON.stringify({ level: 'error', where: 'oauth', message: errorText(error) })),
  });
}

function nobodyRegisters(): never {
  throw new Error('Apps are registered in the Worker.');
}
