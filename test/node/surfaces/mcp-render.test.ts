import { describe, expect, it } from 'vitest';
import { doorFailure } from '../../../src/core/failure.ts';
import { render } from '../../../src/surfaces/mcp-render.ts';

describe('a failure over MCP', () => {
  it('begins with "Error: " in the text alone', () => {
    const failure = doorFailure('timeout');
    expect(render({ kind: 'failed', failure })).toMatchObject({
      content: [{ type: 'text', text: `Error: ${failure.message}\n${failure.suggestion}` }],
      _meta: { 'dev.bowline/error': { message: failure.message } },
    });
  });
});

describe('isError of a result over MCP', () => {
  it('is there each time, and false for a success', () => {
    expect(render({ kind: 'ok', output: { greeting: 'Hello, Ada!' } })).toMatchObject({ isError: false });
    expect(render({ kind: 'ok', output: { success: true } })).toMatchObject({ isError: false });
  });

  it('is true for a failure, which has no structuredContent', () => {
    const failed = render({ kind: 'failed', failure: doorFailure('timeout') });
    expect(failed).toMatchObject({ isError: true });
    expect(failed).not.toHaveProperty('structuredContent');
  });

  it('is true for an answer that says itself that it failed, which keeps its structuredContent', () => {
    const output = { success: false, output: 'Error: Command failed with exit code 3:\noops\n' };
    expect(render({ kind: 'ok', output })).toMatchObject({ isError: true, structuredContent: output });
  });
});
