import { Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { page } from '../../http/respond.ts';
import { forOwner } from '../access/owner-page.tsx';
import { begins } from '../access/passkey-names.ts';
import { Page } from '../parts/layout.tsx';
import { Card, Copyable, Csrf, Heading } from '../parts/parts.tsx';
import { progressOf, type SetupPorts, type SetupState, setupState } from './setup-state.ts';

/** Serves the first steps of a new owner, and shows which of them are done. */
export function setupPages(ports: SetupPorts): Hono {
  const { origin } = ports.auth;
  const asOwner = forOwner(ports.auth);
  return new Hono().get('/setup', (c) =>
    asOwner(c, async (visit) => {
      const state = await setupState(ports);
      const { done, all } = progressOf(state);
      return page(
        <Page title="Set up" within="Home" csrf={visit.csrf} scripts={['passkeys.js']}>
          <Heading title={done === all ? 'All set up' : 'Set up your Bowline'}>
            {done} of {all} steps are done. Take them in any order; each can be undone.
          </Heading>
          <Card>
            <ol class="todo">
              <PasskeyStep done={state.passkey} csrf={visit.csrf} />
              <Step
                at={2}
                done={state.machine}
                title="Pair a machine"
                more={<a href="/machines">Machines</a>}
              >
                <p>
                  Lets models use files, the terminal and local models on a computer of yours. Run this there:
                </p>
                <Copyable text={`bowline pair ${origin}`} label="the command that pairs" />
              </Step>
              <Step
                at={3}
                done={state.client}
                title="Connect an app"
                more={<a href="/connect">Step by step</a>}
              >
                <p>Claude, ChatGPT, Claude Code, Cursor and VS Code take this one address:</p>
                <Copyable text={`${origin}/mcp`} label="the address" />
              </Step>
              <Step at={4} done={state.repo} title="Mirror a repo" more={<a href="/repo">Repo</a>}>
                <p>
                  Lets models read the docs of your repo even while your machines sleep. In a clone of it:
                </p>
                <Copyable text="bowline mirror push" label="the command that mirrors" />
              </Step>
            </ol>
          </Card>
          <p>
            <a class="button" href="/">
              Go to Home
            </a>
          </p>
        </Page>,
      );
    }),
  );
}

/** Points a new owner to the steps that are left. Shows nothing once all are done. */
export function SetupHint({ state }: { readonly state: SetupState }) {
  const { done, all } = progressOf(state);
  if (done === all) return null;
  return (
    <p class="notice">
      {done} of {all} first steps are done. <a href="/setup">See what is left</a>.
    </p>
  );
}

function PasskeyStep({ done, csrf }: { readonly done: boolean; readonly csrf: string }) {
  return (
    <Step at={1} done={done} title="Add a passkey" more={<a href="/connections#passkeys">Passkeys</a>}>
      <p>Signs you in without the owner key, and confirms lasting changes.</p>
      <form {...begins('register')} hidden>
        <Csrf value={csrf} />
        <label for="passkey-name">Name</label>
        <input id="passkey-name" name="name" type="text" maxlength={60} required placeholder="My phone" />
        <button type="submit">Add a passkey</button>
        <p role="alert" class="small" />
      </form>
    </Step>
  );
}

function Step({
  at,
  done,
  title,
  more,
  children,
}: {
  readonly at: number;
  readonly done: boolean;
  readonly title: string;
  readonly more: Child;
  readonly children: Child;
}) {
  return (
    <li class={done ? 'done-step' : undefined}>
      <span class="tick" aria-hidden="true">
        {done ? '✓' : at}
      </span>
      <div class="body">
        <h2>
          {title}
          {done ? <span class="quiet small"> done</span> : null}
        </h2>
        {done ? null : children}
        <p class="links small">{more}</p>
      </div>
    </li>
  );
}
