import { onTestFinished } from 'vitest';
import { terminalList, terminalRead, terminalStop } from '../../../../contracts/terminal-output.ts';
import { terminalSend, terminalStart } from '../../../../contracts/terminal-sessions.ts';
import {
  type SessionPorts,
  sessionHandlers,
} from '../../../../local-bridge/tools/handlers/terminal-sessions.ts';
import { sessionPreviews } from '../../../../local-bridge/tools/handlers/terminal-sessions-preview.ts';
import { openSessions } from '../../../../local-bridge/tools/terminal/sessions/sessions.ts';
import type { Caller, Result } from '../../../../src/core/call.ts';
import { runPrepared } from '../../../../src/core/invoke.ts';
import { toolSet } from '../../../../src/core/tools.ts';
import { prepared } from '../../../support/prepared.ts';
import { SOON_MS } from '../../../support/soon.ts';
import { everyone } from '../../../support/tools.ts';
import { openRig, type RigOptions } from '../rig.ts';

const contracts = {
  terminal_start: terminalStart,
  terminal_send: terminalSend,
  terminal_read: terminalRead,
  terminal_list: terminalList,
  terminal_stop: terminalStop,
};

interface SessionOptions extends RigOptions {
  readonly idleMs?: number;
  readonly staysOpen?: boolean;
}

/** Lasting terminals over real folders and processes, with their tools as callers use them. */
export async function openSessionRig({ idleMs, staysOpen = true, ...options }: SessionOptions = {}) {
  const rig = await openRig({ ...options, env: { SHELL: '/bin/bash', ...options.env } });
  const { terminal, home, ports: others, door } = rig;
  const sessions = openSessions({ home, staysOpen }, { terminal, clock: others.clock }, idleMs);
  onTestFinished(() => sessions.close());
  const workspace = others.workspace as SessionPorts['workspace'];
  const ports: SessionPorts = { sessions, terminal, workspace };
  const tools = toolSet(contracts, sessionHandlers, door, ports, sessionPreviews);
  const call = async (
    tool: keyof typeof contracts,
    args: object,
    caller: Partial<Caller> = {},
  ): Promise<Result> => {
    const found = tools.get(tool);
    if (!found) throw new Error(`There is no ${tool}.`);
    return found.call(args, { ...everyone, ...caller });
  };
  const look = (tool: 'terminal_start' | 'terminal_send', args: object) => {
    const found = tools.get(tool);
    if (!found) throw new Error(`There is no ${tool}.`);
    return found.look(prepared(contracts[tool], args));
  };
  return {
    ...rig,
    sessions,
    call,
    look,
    /** Runs a call that the owner approved when they saw `seen`. */
    seen: (tool: 'terminal_start' | 'terminal_send', args: object, seen: string): Promise<Result> => {
      const call = { ...prepared(contracts[tool], args), seen };
      return tool === 'terminal_start'
        ? runPrepared(terminalStart, sessionHandlers.terminal_start, call, door, ports)
        : runPrepared(terminalSend, sessionHandlers.terminal_send, call, door, ports);
    },
    start: (args: object = {}, caller?: Partial<Caller>) =>
      call('terminal_start', { session: 'work', ...args }, caller),
    send: (args: object | string, caller?: Partial<Caller>) =>
      call(
        'terminal_send',
        { session: 'work', ...(typeof args === 'string' ? { text: args } : args) },
        caller,
      ),
    read: (args: object = {}, caller?: Partial<Caller>) =>
      call('terminal_read', { session: 'work', ...args }, caller),
    /** Reads everything from the beginning once the text came. */
    readUntil: (text: string) => call('terminal_read', { session: 'work', until: text, wait_seconds: 35 }),
    /** Waits until the shell can take a command. */
    prompt: async (name = 'work') => {
      const session = sessions.find(everyone.principal, name);
      if (!session) throw new Error(`There is no session ${name}.`);
      const end = Date.now() + SOON_MS;
      while (session.atPrompt() === undefined) {
        if (Date.now() > end) throw new Error(`No prompt: ${JSON.stringify(session.raw().toString())}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
