import { describe, expect, it } from 'vitest';
import { doorFailure } from '../../../src/core/failure.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { call, failureIn, reading, WatchedDoor } from '../../support/tools.ts';

const secret = 'ENOENT /home/ada/.ssh/id_ed25519';
const thrown = (): never => {
  throw new Error(secret);
};

describe('an exception nobody foresaw', () => {
  it.each([
    ['thrown', thrown],
    ['rejected with', async () => thrown()],
    [
      'thrown as a text',
      () => {
        throw secret;
      },
    ],
  ] satisfies [string, Handler<typeof reading, undefined>][])(
    '%s becomes internal_error with the call id, and its text stays inside',
    async (_, handler) => {
      const door = new WatchedDoor();
      const result = await call(door, reading, handler);
      expect(failureIn(result)).toEqual({
        ...doorFailure('internal_error'),
        message: 'Something went wrong inside Bowline (call call_1).',
        call_id: 'call_1',
      });
      expect(JSON.stringify(result)).not.toMatch(/ENOENT|id_ed25519/);
      expect(door.reported).toHaveLength(1);
      expect(door.reported[0]?.callId).toBe('call_1');
      expect(String(door.reported[0]?.error)).toContain(secret);
    },
  );

  it.each(['nonsense', 'toString', 'constructor', 'timeout', 'internal_error'])(
    'is also what a handler gets for an error code its contract lacks: %s',
    async (code) => {
      const door = new WatchedDoor();
      const result = await call(door, reading, (_, { fail }) => fail(code as 'unavailable', secret));
      expect(failureIn(result)).toMatchObject({ code: 'internal_error', http_status: 500 });
      expect(JSON.stringify(result)).not.toContain(secret);
      expect(String(door.reported[0]?.error)).toContain(`shelf.read has no error called ${code}`);
    },
  );
});

describe("a handler's own failure", () => {
  it('says what its contract says', async () => {
    const result = await call(new WatchedDoor(), reading, (_, { fail }) => fail('unavailable'));
    expect(result).toEqual({
      kind: 'failed',
      failure: {
        code: 'unavailable',
        http_status: 503,
        message: 'The shelf is being dusted.',
        suggestion: 'Wait a little.',
      },
    });
  });

  it('may say it more exactly', async () => {
    const detail = { message: 'Dusty.', suggestion: 'Sneeze.', retryAfter: 3 };
    const whole = await call(new WatchedDoor(), reading, (_, { fail }) => fail('unavailable', detail));
    expect(failureIn(whole)).toMatchObject({ message: 'Dusty.', suggestion: 'Sneeze.', retry_after: 3 });
    const short = await call(new WatchedDoor(), reading, (_, { fail }) => fail('unavailable', 'Dusty.'));
    expect(failureIn(short)).toMatchObject({ message: 'Dusty.', suggestion: 'Wait a little.' });
  });

  it.each([
    [0, 1],
    [-5, 1],
    [0.2, 1],
    [1.2, 2],
    [60, 60],
  ])('asks to wait whole seconds and at least one: %d is %d', async (retryAfter, seconds) => {
    const result = await call(new WatchedDoor(), reading, (_, { fail }) =>
      fail('unavailable', { retryAfter }),
    );
    expect(failureIn(result).retry_after).toBe(seconds);
  });
});
