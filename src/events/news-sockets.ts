import { PING, PONG } from './news-words.ts';

/** Sockets over which other isolates hear of an object's news. The object may sleep while they listen. */
export class NewsSockets {
  readonly #state: DurableObjectState;

  constructor(state: DurableObjectState) {
    this.#state = state;
    // The runtime answers signs of life without waking the object.
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Takes a listener. `first` is what it hears at once. */
  open(request: Request, first?: string): Response {
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      return new Response('News come by WebSocket.', { status: 426, headers: { upgrade: 'websocket' } });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server);
    if (first !== undefined) server.send(first);
    return new Response(null, { status: 101, webSocket: client });
  }

  tell(text: string): void {
    for (const socket of this.#state.getWebSockets()) {
      try {
        socket.send(text);
      } catch {
        // This listener is leaving. It asks for what it missed when it comes back.
      }
    }
  }
}
