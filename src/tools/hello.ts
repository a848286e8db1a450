import type { hello } from '../../contracts/hello.ts';
import type { Clock } from '../core/clock.ts';
import type { Handler } from '../core/handler.ts';

export const sayHello: Handler<typeof hello, { clock: Clock }> = ({ name }, call, { clock }) => {
  const greeting = `Hello, ${name}!`;
  return call.ok({ greeting, message: greeting, timestamp: clock.now().toISOString() });
};
