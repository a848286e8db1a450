import type { Key } from '../catalogue.ts';
import type { Connect } from '../client.ts';
import { inPackage } from '../surroundings.ts';
import { aiSdk } from './ai-sdk.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { inspector } from './inspector.ts';
import { langchain } from './langchain.ts';
import { openaiAgents } from './openai-agents.ts';
import { newSdk, newSdkHeldBack, newSdkOverProxy, oldSdk, oldSdkOverStdio } from './sdk.ts';

/** How each client of the catalogue is made to connect. */
export const connects: Record<Key, Connect> = {
  'sdk-2': newSdk,
  'sdk-2-legacy': newSdkHeldBack,
  'sdk-1': oldSdk,
  'sdk-1-stdio': oldSdkOverStdio,
  inspector: (endpoint) => inspector(endpoint, 'modern'),
  'inspector-legacy': (endpoint) => inspector(endpoint, 'legacy'),
  'mcp-remote': (endpoint) => {
    const header = ['--header', `Authorization:Bearer ${endpoint.token}`];
    const args = [inPackage('mcp-remote', 'dist', 'proxy.js'), endpoint.mcp, ...header];
    return newSdkOverProxy(endpoint, args, 'questions');
  },
  supergateway: (endpoint) => {
    const options = [
      '--streamableHttp',
      endpoint.mcp,
      '--oauth2Bearer',
      endpoint.token,
      '--logLevel',
      'none',
    ];
    const args = [inPackage('supergateway', 'dist', 'index.js'), ...options];
    return newSdkOverProxy(endpoint, args, 'no questions');
  },
  'ai-sdk': aiSdk,
  'openai-agents': openaiAgents,
  langchain,
  'claude-code': claudeCode,
  codex,
};
