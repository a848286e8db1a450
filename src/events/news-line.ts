import { PING, PONG } from './news-words.ts';

/** A connection to an object that tells its news. */
export interface NewsLine {
  /** Gives the next news, or `undefined` once the line is broken or closed. */
  next(): Promise<string | undefined>;
  close(): void;
}

interface Listened {
  fetch(address: string, init: RequestInit): Promise<Response>;
}

/** The time between two signs of life. A line is broken if one has no answer when the next is due. */
const PING_MS = 20_000;

/** Listens to an object. No request of ours lasts meanwhile, so that the object can sleep. */
export async function openNewsLine(object: Listened, query = ''): Promise<NewsLine> {
  const answer = await object.fetch(`https://news/${query}`, { headers: { upgrade: 'websocket' } });
  const socket = answer.webSocket;
  if (!socket) throw new Error(`The object takes no listener: status ${answer.status}.`);
  const heard: string[] = [];
  let isOver = false;
  let isAnswered = true;
  let wake = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    if (!isAnswered) return end();
    isAnswered = false;
    socket.send(PING);
  }, PING_MS);
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    socket.close(1000, 'left');
    wake.resolve();
  };
  socket.addEventListener('message', ({ data }) => {
    isAnswered = true;
    if (typeof data !== 'string' || data === PONG) return;
    heard.push(data);
    wake.resolve();
  });
  socket.addEventListener('close', end);
  socket.addEventListener('error', end);
  socket.accept();
  const next = async (): Promise<string | undefined> => {
    while (heard.length === 0 && !isOver) {
      await wake.promise;
      wake = Promise.withResolvers();
    }
    return heard.shift();
  };
  return { next, close: end };
}
