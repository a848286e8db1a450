import { describe, expect, it } from 'vitest';
import { MEMORY_FILES } from '../../../contracts/memory.ts';
import { memoryPrompts } from '../../../src/surfaces/memory-prompts.ts';
import { endpoint } from '../../support/mcp-endpoint.ts';

const ask = endpoint({ prompts: memoryPrompts });

async function textOf(name: string, args: Record<string, string> = {}): Promise<string> {
  const { result } = await ask('prompts/get', { name, arguments: args });
  const [message] = (result?.messages ?? []) as { content: { text: string } }[];
  return message?.content.text ?? '';
}

describe('the memory’s prompts', () => {
  it('say what to write, where, and with which tool', async () => {
    const progress = await textOf('log_progress', { done: 'the door is painted' });
    expect(progress).toMatch(/progress_log\.jsonl with write_memory_entry.*the door is painted/s);
    const decision = await textOf('record_decision', { decision: 'paint it blue', why: 'it calms' });
    expect(decision).toMatch(/decisions\.jsonl with write_memory_entry.*paint it blue.*it calms/s);
    expect(await textOf('record_decision', { decision: 'paint it blue' })).not.toContain('`why`');
  });

  it('name only files that the memory has', async () => {
    const texts = [
      await textOf('log_progress', { done: 'x' }),
      await textOf('record_decision', { decision: 'x' }),
      await textOf('review_week'),
    ];
    const named = texts.flatMap((text) => text.match(/[\w-]+\.(?:jsonl|md)/g) ?? []);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((file) => !(MEMORY_FILES as readonly string[]).includes(file))).toEqual([]);
  });
});
